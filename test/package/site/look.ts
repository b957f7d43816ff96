/** Widths of a phone and of a small desktop. */
const WIDTHS = [390, 1366];

/** What a page is looked at for. */
export interface Looked {
  /** What is wrong, as `<page> at <width>: <what>`. */
  readonly faults: readonly string[];
  /** The height of the text of each page on a desktop, in pixels. */
  readonly heights: { readonly [page: string]: number };
  /** The places that the search box lists for each query, the best first. */
  readonly places: { readonly [query: string]: readonly string[] };
}

/**
 * A page that shows others in frames, and gives a `Looked`.
 *
 * @param pages to measure at each width
 * @param contrast pages whose texts are compared with what is behind them
 * @param queries for the search box
 */
export function lookPage(
  pages: readonly string[],
  contrast: readonly string[],
  queries: readonly string[],
): string {
  return `<!doctype html><title>looking</title><body><script>
const faults = [];
const heights = {};
const places = {};
${FRAMES}
${MEASURES}
${CONTRAST}
${CHOICES}
(async () => {
  for (const page of ${JSON.stringify(pages)}) {
    await look(page, ${JSON.stringify(WIDTHS)});
  }
  for (const page of ${JSON.stringify(contrast)}) {
    await compareColors(page);
  }
  const lines = [
    await program('reference/vm-network'),
    await program('reference/vm-network', 'Python'),
    await program('reference/late-value'),
  ];
  if (lines.map((line) => line.split(' ')[0]).join() !== 'import,from,from') {
    faults.push('shows other languages than the one that was chosen: ' + JSON.stringify(lines));
  }
  for (const query of ${JSON.stringify(queries)}) {
    places[query] = await search(query);
  }
  document.title = 'done';
  document.body.textContent = JSON.stringify({ faults, heights, places });
})();
</script>`;
}

/** Opens pages in frames, and waits for what their scripts show. */
const FRAMES = `
async function open(page, width) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'border:0;height:900px;width:' + width + 'px';
  await new Promise((resolve) => {
    frame.onload = resolve;
    frame.src = '/next/' + page + '.html';
    document.body.append(frame);
  });
  return frame;
}
async function waitFor(find) {
  for (let tries = 0; tries < 100 && !find(); tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return find();
}
`;

/** What is cut or hidden at a width. */
const MEASURES = `
async function look(page, widths) {
  const frame = await open(page, widths[0]);
  const { document: shown } = frame.contentWindow;
  const text = await waitFor(() => shown.querySelector('.vp-doc h1') && shown.querySelector('.vp-doc'));
  for (const width of widths) {
    frame.style.width = width + 'px';
    const add = (what) => faults.push(page + ' at ' + width + ': ' + what);
    if (!text) {
      add('has no content');
      continue;
    }
    if (shown.documentElement.scrollWidth > width) {
      add('is ' + shown.documentElement.scrollWidth + ' wide');
    }
    for (const code of text.querySelectorAll('pre')) {
      if (code.scrollWidth > code.clientWidth + 1) {
        add('cuts ' + code.textContent.trim().slice(0, 60));
      }
    }
    for (const table of text.querySelectorAll('table')) {
      if (table.scrollWidth > table.clientWidth + 1) {
        add('hides columns of ' + table.textContent.trim().slice(0, 60));
      }
    }
    heights[page] = text.offsetHeight;
  }
  frame.remove();
}
`;

/** Texts with less contrast than WCAG 2 AA requires. */
const CONTRAST = `
async function compareColors(page) {
  const frame = await open(page, 1366);
  const { document: shown } = frame.contentWindow;
  await waitFor(() => shown.querySelector('.vp-doc h1'));
  // colors change at once, so that they can be compared
  const still = shown.createElement('style');
  still.textContent = '* { transition: none !important; }';
  shown.head.append(still);
  for (const scheme of ['light', 'dark']) {
    shown.documentElement.classList.toggle('dark', scheme === 'dark');
    for (const weak of weakTexts(frame.contentWindow)) {
      faults.push(page + ' has in ' + scheme + ' ' + weak);
    }
  }
  frame.remove();
}
/** Red, green, blue, and opacity of a color as computed styles print it. */
function channels(color) {
  const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
  return [r, g, b, a];
}
/** A color over another one. */
function over([r, g, b, a], below) {
  return [r, g, b].map((value, index) => value * a + below[index] * (1 - a)).concat(1);
}
function luminance(color) {
  const [r, g, b] = color.slice(0, 3).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function behind(element, view) {
  const background = channels(view.getComputedStyle(element).backgroundColor);
  if (background[3] === 1) {
    return background;
  }
  return over(background, element.parentElement ? behind(element.parentElement, view) : [255, 255, 255, 1]);
}
/** Texts with less contrast than WCAG 2 AA requires, one of each pair of colors. */
function weakTexts(view) {
  const weak = new Map();
  for (const element of view.document.querySelectorAll('.vp-doc *, .VPSidebar *, .VPNav *, .VPDocAside *')) {
    const text = [...element.childNodes].find((node) => node.nodeType === 3 && node.data.trim());
    const style = view.getComputedStyle(element);
    if (!text || element.getClientRects().length === 0 || style.visibility === 'hidden' || element.closest('[aria-hidden]')) {
      continue;
    }
    const back = behind(element, view);
    const color = over(channels(style.color), back);
    const [dark, light] = [luminance(color), luminance(back)].sort((a, b) => a - b);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) {
      weak.set(style.color + back, ratio.toFixed(2) + ' of ' + style.color + ' on ' + back.slice(0, 3) + ': ' + text.data.trim().slice(0, 40));
    }
  }
  return weak.values();
}
`;

/** What someone chooses or types. */
const CHOICES = `
/** Loads a page, chooses a language if one is given, and gives the first line of what it shows. */
async function program(page, language) {
  const frame = await open(page, 1366);
  const { document: shown } = frame.contentWindow;
  const group = () => shown.querySelector('.vp-code-group');
  const block = () => group().querySelector('.blocks > .active code').textContent.split('\\n')[0];
  await waitFor(group);
  // the scripts of the page run after it is there
  await new Promise((resolve) => setTimeout(resolve, 1000));
  if (language) {
    group().querySelector('[data-title="' + language + '"]').click();
  }
  const line = block();
  frame.remove();
  return line;
}
/** The places that the search box lists. */
async function search(query) {
  const frame = await open('index', 1366);
  const { document: shown } = frame.contentWindow;
  const button = await waitFor(() => shown.querySelector('.VPNavBarSearch button'));
  // the scripts of the page run after it is there
  await new Promise((resolve) => setTimeout(resolve, 1000));
  button.click();
  const input = await waitFor(() => shown.querySelector('#localsearch-input'));
  input.value = query;
  input.dispatchEvent(new Event('input', { bubbles: true }));
  await waitFor(() => shown.querySelector('.results .result'));
  const found = [...shown.querySelectorAll('.results .result')];
  const listed = found.map((result) => result.getAttribute('href'));
  frame.remove();
  return listed;
}
`;
