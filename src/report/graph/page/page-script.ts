/**
 * What the page does besides showing: filters, keys, and links into what is folded. Without scripts
 * all of it can be opened and read.
 */
export const PAGE_SCRIPT = `
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const form = document.querySelector('form');
  const status = document.querySelector('[role=status]');
  const parts = all('details.part');
  const others = all('[data-find]');
  const folds = all('details.group, details.lane, details.more');
  const first = new Map(folds.map((fold) => [fold, fold.open]));
  const texts = new Map();
  const textOf = (element) => {
    if (!texts.has(element)) { texts.set(element, element.textContent.toLowerCase()); }
    return texts.get(element);
  };
  const filter = () => {
    const { text, kind, noun, state } = Object.fromEntries(new FormData(form));
    const words = text.trim().toLowerCase();
    const isFiltered = Boolean(words || kind || noun || state);
    for (const part of parts) {
      const own = part.dataset;
      part.hidden = Boolean((kind && own.kind !== kind) || (noun && own.noun !== noun)
        || (state && !own.state.split(' ').includes(state)) || (words && !textOf(part).includes(words)));
    }
    for (const other of others) { other.hidden = Boolean(words) && !textOf(other).includes(words); }
    for (const fold of folds) {
      const isEmpty = !fold.querySelector('details.part:not([hidden]), [data-find]:not([hidden])');
      const isOther = !fold.querySelector('details.part, [data-find]');
      fold.hidden = isEmpty && !isOther;
      fold.open = isFiltered ? !isEmpty : first.get(fold);
    }
    status.textContent = parts.filter((part) => !part.hidden).length + ' of ' + parts.length + ' parts';
  };
  let waiting;
  form.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, parts.length > 500 ? 150 : 0); });
  form.addEventListener('reset', () => { clearTimeout(waiting); setTimeout(filter); });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.hidden = false;
  filter();

  const reveal = () => {
    const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!place || place.tagName !== 'DETAILS') { return; }
    if (place.hidden || place.closest('[hidden]')) { form.reset(); filter(); }
    for (let above = place; above; above = above.parentElement) { if (above.tagName === 'DETAILS') { above.open = true; } }
    place.querySelector('summary').focus();
    place.scrollIntoView({ block: 'nearest' });
  };
  addEventListener('hashchange', reveal);
  // the same place may be asked for again
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (link && location.hash !== '' && link.getAttribute('href') === location.hash) { reveal(); }
  });
  reveal();

  const lines = all('.picture .needs');
  const boxes = all('.picture a');
  const nameOf = (link) => link.querySelector('[data-box]').dataset.box;
  const show = (link) => {
    for (const line of lines) { line.classList.toggle('on', Boolean(link) && [line.dataset.from, line.dataset.to].includes(nameOf(link))); }
  };
  for (const box of boxes) {
    for (const begin of ['focus', 'mouseenter']) { box.addEventListener(begin, () => show(box)); }
    for (const end of ['blur', 'mouseleave']) { box.addEventListener(end, () => show()); }
  }
  const moveBox = (box, key) => {
    const at = boxes.indexOf(box);
    const [own, other] = key === 'ArrowRight' ? ['from', 'to'] : ['to', 'from'];
    const line = lines.find((each) => each.dataset[own] === nameOf(box));
    const next = { ArrowDown: boxes[at + 1], ArrowUp: boxes[at - 1] }[key]
      ?? (key === 'ArrowRight' || key === 'ArrowLeft' ? boxes.find((each) => line && nameOf(each) === line.dataset[other]) : undefined);
    next?.focus();
    next?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return next !== undefined;
  };
  const moveFold = (summary, key) => {
    const fold = summary.parentElement;
    const shown = all('summary').filter((each) => each.getClientRects().length > 0);
    const at = shown.indexOf(summary);
    const goTo = (next) => { next?.focus(); return next !== undefined && next !== null; };
    switch (key) {
      case 'ArrowDown': return goTo(shown[at + 1]);
      case 'ArrowUp': return goTo(shown[at - 1]);
      case 'Home': return goTo(shown[0]);
      case 'End': return goTo(shown.at(-1));
      case 'ArrowRight':
        if (fold.open) { return goTo(fold.querySelector('details > summary')); }
        fold.open = true;
        return true;
      case 'ArrowLeft':
        if (!fold.open) { return goTo(fold.parentElement.closest('details')?.querySelector('summary')); }
        fold.open = false;
        return true;
      default: return false;
    }
  };
  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) { return; }
    if (key === 'Escape') {
      form.reset();
      form.elements.text.focus();
    } else if (key === '/' && !target.closest('input, select')) {
      form.elements.text.focus();
    } else if (!(target.closest('.picture a') && moveBox(target.closest('.picture a'), key))
      && !(target.tagName === 'SUMMARY' && moveFold(target, key))) {
      return;
    }
    event.preventDefault();
  });
})();
`;
