/** The style of the page: no fonts, images or sheets from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8886; --soft: #8881; --all: #1a7f37; --read: #0969da; --some: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --all: #57c26d; --read: #6cb2ff; --some: #e0b341; } }
body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5rem; }
h1 { font-size: 1.4rem; margin: 0 0 .5rem; }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: 1rem 0; }
label { display: grid; gap: .15rem; font-size: .85rem; }
select, input, button { font: inherit; padding: .25rem .4rem; max-width: 20rem; }
.scroll { overflow: auto; max-height: 80vh; border: 1px solid var(--line); }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--line); padding: .25rem .45rem; text-align: left; vertical-align: top; }
thead th { position: sticky; top: 0; background: Canvas; z-index: 1; }
.matrix thead th.permission { vertical-align: bottom; padding: .4rem .2rem; }
.matrix thead th.permission span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; font-weight: 500; }
.matrix tbody th { font-weight: 600; min-width: 11rem; position: sticky; left: 0; }
.matrix tbody th, .matrix tbody td.place { background: Canvas; }
.matrix td.place { min-width: 13rem; }
.matrix td.right { text-align: center; font-size: .85rem; }
small { display: block; opacity: .75; font-weight: 400; overflow-wrap: anywhere; }
.all { color: var(--all); font-weight: 600; } .yes { color: var(--all); } .read { color: var(--read); } .some { color: var(--some); } .none { opacity: .35; }
details { margin-top: 1.5rem; } summary { cursor: pointer; font-weight: 600; }
[hidden] { display: none !important; }
@media print { form { display: none; } .scroll { max-height: none; overflow: visible; border: 0; } }
`;

/** Filters both tables; without scripts everything is shown. */
export const SCRIPT = `
(() => {
  const form = document.querySelector('form');
  const rows = [...document.querySelectorAll('tr[data-who]')];
  const columns = [...document.querySelectorAll('[data-permission]:not(tr)')];
  const status = document.querySelector('[role=status]');
  const apply = () => {
    const { who, where, what, text } = Object.fromEntries(new FormData(form));
    const words = text.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const { who: person, where: place, permission, has } = row.dataset;
      const fits = (!who || who === person) && (!where || where === place) && (!words || row.textContent.toLowerCase().includes(words))
        && (!what || permission === what || (has !== undefined && has.split(' ').includes(what)));
      row.hidden = !fits;
      if (fits && has !== undefined) { shown += 1; }
    }
    for (const cell of columns) { cell.hidden = what !== '' && cell.dataset.permission !== what; }
    status.textContent = shown + ' of ' + rows.filter((row) => row.dataset.has !== undefined).length + ' rows';
  };
  form.addEventListener('input', apply);
  form.addEventListener('reset', () => setTimeout(apply));
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  apply();
})();
`;
