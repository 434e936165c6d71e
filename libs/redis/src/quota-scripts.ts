/**
 * A bucket is a hash of slice number to calls granted in that slice, by Redis's own clock, so that the clocks of the processes do not matter.
 * A block that a process leases stands in the slice in which its lease ends: until then any of it may be used, so that is when it counts from.
 */

/**
 * What was granted in the window that ends now; changes nothing.
 * KEYS[1] the bucket. ARGV: window in ms, slices per window.
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
 * One take in one round trip.
 * KEYS[1] the bucket. ARGV: calls allowed in the window, window in ms, cost, calls this process was granted in it, slices per window.
 * Then most calls to lease besides, for how many ms, calls of the last lease that were not used, slice they stand in.
 * Replies: granted (1 or 0), retry after in ms, calls used in the window, slice of the grant, calls leased, slice they stand in.
 * A count below what this process alone was granted has lost something (Redis was flushed, restarted or away): the
 * difference is added to it. The hash lives a little longer than its newest slice counts.
 */
export const takeScript = `
local allowed, window, cost, own = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local slice = math.max(1, math.floor(window / tonumber(ARGV[5])))
local wanted, leaseMs, unused, unusedSlice = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local oldest = math.floor((now - window) / slice)
local counted, slices, past = 0, {}, {}
local entries = redis.call('HGETALL', KEYS[1])
for index = 1, #entries, 2 do
  local number, count = tonumber(entries[index]), tonumber(entries[index + 1])
  if unused > 0 and entries[index] == unusedSlice then
    local back = math.max(0, math.min(unused, count))
    redis.call('HINCRBY', KEYS[1], unusedSlice, -back)
    count = count - back
  end
  if number < oldest then
    past[#past + 1] = entries[index]
  else
    counted = counted + count
    slices[#slices + 1] = { number, count }
  end
end
local current = math.floor(now / slice)
local function add(number, calls)
  redis.call('HINCRBY', KEYS[1], number, calls)
  local lives = (number + 2) * slice + window - now
  if redis.call('PTTL', KEYS[1]) < lives then redis.call('PEXPIRE', KEYS[1], lives) end
end
if own > counted then
  add(current, own - counted)
  slices[#slices + 1] = { current, own - counted }
end
local used = math.max(counted, own)
if used + cost <= allowed then
  add(current, cost)
  local leased, leasedSlice = math.min(wanted, math.floor((allowed - used - cost) / 10)), current
  if leased > 0 then
    leasedSlice = math.floor((now + leaseMs) / slice)
    add(leasedSlice, leased)
  end
  if #past > 0 then redis.call('HDEL', KEYS[1], unpack(past)) end
  return { 1, 0, used + cost + leased, current, leased, leasedSlice }
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
return { 0, math.max(1, wait), used, current, 0, current }
`;

/**
 * Gives back calls that were granted or leased and not made.
 * KEYS[1] the bucket. ARGV: slice they stand in, how many.
 */
export const returnScript = `
local counted = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
local back = math.max(0, math.min(counted, tonumber(ARGV[2])))
if back > 0 then redis.call('HINCRBY', KEYS[1], ARGV[1], -back) end
return back
`;

/**
 * Fills the bucket, so that nothing is granted for a time: as if the limit had been used at the moment whose window ends then.
 * KEYS[1] the bucket. ARGV: limit, window in ms, slices per window, for how many ms.
 */
export const exhaustScript = `
local limit, window, ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[4])
local slice = math.max(1, math.floor(window / tonumber(ARGV[3])))
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HINCRBY', KEYS[1], math.ceil((now + ms - window) / slice), limit)
local lives = ms + 2 * slice
if redis.call('PTTL', KEYS[1]) < lives then redis.call('PEXPIRE', KEYS[1], lives) end
return 1
`;
