import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { inBrowser, lookAt } from './browser';
import { ROOT } from './installed';

const WIDTHS = [390, 1366];
const EXAMPLES = ['quickstart', 'reference-stack', 'three-tenants'];

/** Opens each page in each width, uses it by its keys, and reports what is not as it must be. */
const LOOK = `<!doctype html><title>looking</title><body><script>
const found = [];
const wait = (milliseconds = 50) => new Promise((resolve) => setTimeout(resolve, milliseconds));
async function look(width, page) {
  const frame = document.createElement('iframe');
  frame.style.cssText = 'border:0;height:900px;width:' + width + 'px';
  await new Promise((resolve) => {
    frame.onload = resolve;
    frame.src = '/' + page + '.html';
    document.body.append(frame);
  });
  const { contentWindow: shown, contentDocument: own } = frame;
  const must = (what, is) => { if (!is) { found.push(page + ' at ' + width + ': ' + what); } };
  const press = (key) => own.activeElement.dispatchEvent(
    new shown.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const all = (selector) => [...own.querySelectorAll(selector)];
  const visible = (element) => element.getClientRects().length > 0;
  frame.focus();

  must('is not wider than the frame', own.documentElement.scrollWidth <= width);
  for (const element of all('details, p, dd, h1, h2, label, nav')) {
    must('cuts ' + element.textContent.slice(0, 40), !visible(element) || element.getBoundingClientRect().right <= width + 1);
  }
  for (const text of all('.picture .box text')) {
    const box = text.parentElement.querySelector('rect').getBoundingClientRect();
    must('the picture cuts ' + text.textContent, text.getBoundingClientRect().right <= box.right);
  }
  must('names its regions', all('[role=region], svg, nav, form').every((each) => each.getAttribute('aria-label')));
  const { color, backgroundColor } = shown.getComputedStyle(own.body);
  must('applies its style', color !== backgroundColor && backgroundColor !== 'rgba(0, 0, 0, 0)');

  // search, and out of it
  const parts = all('details.part');
  own.querySelector('summary').focus();
  press('/');
  must('/ leads to the search', own.activeElement.name === 'text');
  own.activeElement.value = 'cluster-registration';
  own.activeElement.dispatchEvent(new shown.Event('input', { bubbles: true }));
  await wait();
  const left = parts.filter(visible);
  must('finds the setting and what is around it: ' + left.length, left.length > 0 && left.length < parts.length);
  must('reports how many', own.querySelector('[role=status]').textContent === left.length + ' of ' + parts.length + ' parts');
  press('Escape');
  await wait();
  must('Escape shows all', parts.every(visible));

  // lists by arrows
  const [first, second] = all('details.part > summary');
  first.focus();
  press('ArrowRight');
  must('right opens a part', first.parentElement.open);
  press('ArrowLeft');
  must('left closes it', !first.parentElement.open);
  press('ArrowDown');
  must('down leads to the next summary', own.activeElement.tagName === 'SUMMARY' && own.activeElement !== first);
  press('ArrowUp');
  must('up leads back', own.activeElement === first);
  must('shows the focus', shown.getComputedStyle(first).outlineStyle === 'solid');

  // the picture by arrows and Enter
  const line = own.querySelector('.picture .needs');
  const boxOf = (name) => own.querySelector('[data-box="' + name + '"]').closest('a');
  const [from, to] = [boxOf(line.dataset.from), boxOf(line.dataset.to)];
  from.focus();
  must('a box has the focus', own.activeElement === from);
  must('lights its lines', line.classList.contains('on'));
  press('ArrowRight');
  must('right follows a line', own.activeElement !== from && own.activeElement.closest('.picture') !== null);
  to.focus();
  press('ArrowLeft');
  must('left leads back', own.activeElement !== to && own.activeElement.closest('.picture') !== null);
  const anchor = from.getAttribute('href');
  from.dispatchEvent(new shown.MouseEvent('click', { bubbles: true, cancelable: true }));
  await wait(200);
  const place = own.querySelector(anchor);
  must('a box opens its part', place.open && place.contains(own.activeElement));
  must('has links to what depends on it', place.querySelectorAll('dd a').length > 0);
  must('has every page in its tab order', all('a, summary, input, select, button, [tabindex="0"]').every((each) => each.tabIndex === 0));
  frame.remove();
}
(async () => {
  for (const width of ${JSON.stringify(WIDTHS)}) {
    for (const page of ${JSON.stringify(EXAMPLES)}) {
      try { await look(width, page); } catch (error) { found.push(page + ' at ' + width + ': ' + error.stack); }
    }
  }
  document.title = 'done';
  document.body.textContent = JSON.stringify(found);
})();
</script>`;

let folder: string;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-graph-'));
  for (const example of EXAMPLES) {
    const { status, stderr } = spawnSync(
      process.execPath,
      [
        path.join(ROOT, 'bin', 'cdk8s-harvester'),
        'graph',
        path.join(ROOT, 'examples', example, 'dist'),
        '--output-file',
        path.join(folder, `${example}.html`),
      ],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
  }
});

afterAll(() => {
  fs.rmSync(folder, { recursive: true });
});

inBrowser(
  'the page of graph works by its keys without errors, and cuts nothing on a phone or a desktop',
  async () => {
    const { found, log } = await lookAt(folder, LOOK);
    expect(found).toEqual([]);
    // the policy of the page would refuse what it loads or runs from elsewhere
    expect(log.match(/CONSOLE.*(?:Uncaught|Failed to load|Refused|violates).*/g)).toBeNull();
  },
);
