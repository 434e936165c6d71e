/**
 * What was granted in the window that ends now, by Redis's own clock; changes nothing.
 * KEYS[1] the bucket, as the take keeps it. ARGV: window in ms, slices per window.
 */
export const usedScript = `
local window = tonumber(ARGV[1])
local slice = math.max(1, math.floor(window / tonumber(ARGV[2])))
local time = redis.call('TIME')
local oldest = math.floor((time[1] * 1000 + math.floor(time[2] / 1000) - window) / slice)
local used = 0
local entries = redis.call('HGETALL', KEYS[1])
for index = 1, #entries, 2 do
  if tonumber(entries[index]) >= oldest then used = used + tonumber(entries[index + 1]) end
end
return used
`;

/**
 * One take in one round trip, by Redis's own clock, so that the clocks of the processes do not matter.
 * KEYS[1] the bucket: a hash of slice number to calls granted in that slice.
 * ARGV: calls allowed in the window, window in ms, cost, calls this process was granted in it, slices per window.
 * Replies: granted (1 or 0), retry after in ms, calls used in the window.
 * A count below what this process alone was granted has lost something (Redis was flushed, restarted or away): the
 * difference is added to it. The hash lives a little longer than its newest slice counts.
 */
export const takeScript = `
local allowed, window, cost, own = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local slice = math.max(1, math.floor(window / tonumber(ARGV[5])))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = math.floor((now - window) / slice)
local counted, slices, past = 0, {}, {}
local entries = redis.call('HGETALL', KEYS[1])
for index = 1, #entries, 2 do
  local number, count = tonumber(entries[index]), tonumber(entries[index + 1])
  if number < oldest then
    past[#past + 1] = entries[index]
  else
    counted = counted + count
    slices[#slices + 1] = { number, count }
  end
end
local current = math.floor(now / slice)
local function add(calls)
  redis.call('HINCRBY', KEYS[1], current, calls)
  redis.call('PEXPIRE', KEYS[1], window + 2 * slice)
end
if own > counted then
  add(own - counted)
  slices[#slices + 1] = { current, own - counted }
end
local used = math.max(counted, own)
if used + cost <= allowed then
  add(cost)
  if #past > 0 then redis.call('HDEL', KEYS[1], unpack(past)) end
  return { 1, 0, used + cost }
end
table.sort(slices, function(one, other) return one[1] < other[1] end)
local needed, freed, wait = used + cost - allowed, 0, window
for _, entry in ipairs(slices) do
  freed = freed + entry[2]
  if freed >= needed then
    wait = (entry[1] + 1) * slice + window - now
    break
  end
end
return { 0, math.max(1, math.min(wait, window + slice)), used }
`;
