import { PICTURE_STYLE, colorsOf } from '../svg';

/** The style of the page, as the pages of the documentation look: no fonts or sheets from elsewhere. */
export const PAGE_STYLE = `
${colorsOf(':root')}
:root { color-scheme: light dark; --good: #18794e; --change: #915930; }
@media (prefers-color-scheme: dark) { :root { --good: #3dd68c; --change: #f9b44e; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main { max-width: 1680px; margin: 0 auto; padding: clamp(.75rem, 3vw, 2rem); }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; } h2 { font-size: 1.3rem; margin: 0 0 .6rem; }
p { margin: .25rem 0; overflow-wrap: anywhere; }
a { color: var(--brand); font-weight: 500; text-decoration: none; } a:hover { text-decoration: underline; }
code { font: .87em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: .75rem 0; border-bottom: 1px solid var(--line); }
section { padding: 1.5rem 0; border-bottom: 1px solid var(--line); scroll-margin-top: 1rem; }
:focus-visible { outline: 2px solid var(--brand); outline-offset: 2px; border-radius: 4px; }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; padding: 1rem 0 0; }
label { display: grid; gap: .15rem; font-size: .85rem; flex: 1 1 9rem; max-width: 18rem; min-width: 0; }
label.wide { flex-basis: 16rem; max-width: 26rem; }
select, input, button { font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .25rem .6rem; height: 2.4rem; width: 100%; }
button { width: auto; cursor: pointer; } [role=status] { line-height: 2.4rem; color: var(--quiet); }
.scroll { overflow: auto; max-width: 100%; margin: .4rem 0; }
.map { border: 1px solid var(--line); border-radius: 8px; padding: .25rem; max-height: 85vh; }
.map svg { display: block; max-width: 100%; height: auto; }
.picture a:focus-visible { outline: none; }
.picture a:focus-visible rect, .picture a:hover rect { stroke: var(--brand); stroke-width: 3; }
.picture .needs.on { stroke: var(--brand); stroke-width: 2.5; opacity: 1; }
details { margin: .3rem 0; } summary { cursor: pointer; padding: .2rem .3rem; border-radius: 4px; overflow-wrap: anywhere; scroll-margin-top: 1rem; }
details.lane { background: var(--soft); border-radius: 8px; padding: .3rem .6rem; } details.lane > summary { font-weight: 600; color: var(--brand); }
details.group, details.part { margin-left: .75rem; background: var(--back); border: 1px solid var(--line); border-radius: 8px; padding: .1rem .5rem; }
details.part.late { border-color: var(--late); } details.part.problem { border-color: var(--problem); }
summary .noun, summary .fact { color: var(--quiet); font-weight: 400; font-size: .87rem; } summary .fact::before { content: '· '; }
summary .fact.late { color: var(--late); } summary .fact.problem { color: var(--problem); }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: .2rem 1rem; margin: .3rem 0 .5rem .6rem; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
ul { list-style: none; margin: .3rem 0; padding: 0; } ul ul { padding-left: .75rem; } li { padding: .2rem 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .25rem .55rem; text-align: left; vertical-align: top; } th { background: var(--soft); font-weight: 600; }
td { max-width: 34rem; overflow-wrap: break-word; }
.in2 { padding-left: .75rem; } .in4, .in6, .in8 { padding-left: 1.5rem; }
.title, .section { font-weight: 600; } .quiet { color: var(--quiet); } .error, .remove { color: var(--problem); } .warning, .change { color: var(--change); } .good, .add { color: var(--good); }
[hidden] { display: none !important; }
@media (max-width: 40rem) { dl { grid-template-columns: minmax(0, 1fr); } dd { padding-left: .75rem; } details.group, details.part { margin-left: 0; } }
@media print { form, nav { display: none; } .scroll, .map { max-height: none; overflow: visible; } }
${PICTURE_STYLE}
`;
