/** The one stylesheet of the page. It is inline, and the page's policy allows it by its hash; nothing is fetched. */
export const stylesheet = `
:root { color-scheme: light dark; --ground: #f6f5f2; --sheet: #ffffff; --line: #e2dfd8; --text: #22242a; --quiet: #686b73;
  --accent: #0b6bcb; --hover: #f0f5fb; --good: #1b7a43; --odd: #9a5b00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #16181c; --sheet: #1f2228; --line: #32363e; --text: #e8e6e1; --quiet: #9a9da6;
    --accent: #7ab8ff; --hover: #262b34; --good: #6fd39b; --odd: #f0b35a; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 80rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; justify-content: space-between; }
h1 { font-size: 1.35rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .6rem; }
h2 small, header p, .quiet { color: var(--quiet); font-weight: normal; font-size: .87rem; margin: 0; }
a { color: var(--accent); text-decoration: none; } a:hover, a:focus-visible { text-decoration: underline; }
.accounts { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); margin-top: 1.25rem; }
.accounts a { display: block; padding: .8rem 1rem; background: var(--sheet); color: inherit; border: 1px solid var(--line);
  border-radius: .6rem; }
.accounts a[aria-current] { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
.accounts a:hover { text-decoration: none; border-color: var(--accent); }
.accounts strong { margin-right: .5rem; } .accounts p { margin: .2rem 0 0; }
.tag { display: inline-block; padding: 0 .45rem; border: 1px solid var(--line); border-radius: 1rem; font-size: .78rem;
  color: var(--quiet); white-space: nowrap; }
.tag.fault { color: var(--odd); border-color: var(--odd); }
.sheet { overflow-x: auto; background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; }
th { text-align: left; font-weight: 600; color: var(--quiet); white-space: nowrap; }
th, td { padding: .38rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child td { border-bottom: 0; } tbody tr:hover td { background: var(--hover); }
td.value { max-width: 18rem; overflow-wrap: anywhere; } td.number, th.number { text-align: right; }
code, .id, time { font: .82rem/1.6 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.good { color: var(--good); } .odd { color: var(--odd); } .bad { color: var(--bad); font-weight: 600; }
summary { cursor: pointer; color: var(--accent); } details dl { display: grid; grid-template-columns: max-content 1fr;
  gap: 0 .8rem; margin: .3rem 0 0; } dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: 1rem; background: var(--sheet); border: 1px solid var(--line); border-radius: .6rem; }
`;
