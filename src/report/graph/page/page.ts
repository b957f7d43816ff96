import { blocksHtml, folded } from './blocks-html';
import { PAGE_SCRIPT } from './page-script';
import { PAGE_STYLE } from './page-style';
import { htmlPage, htmlText } from '../../../core/text/html';
import { Block } from '../../../core/text/screen';
import { compare } from '../../../core/text/values';
import { PRODUCT_OF } from '../../../engine/read/load-assembly';
import { pluralOf } from '../part-nouns';
import { Box, Lane, Picture } from '../picture';
import { Platform, PlatformPart, dependents } from '../platform';
import { platformSummary, whereIs } from '../platform-text';
import { drawing } from '../svg';

/** A report of the page, as its command prints it. */
export interface PageReport {
  /** Its anchor, and the command that prints it. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** With more parts, the clusters are folded at first. */
const MOST_OPEN = 60;

/** A picture is made smaller to fit the page, as long as its text is readable. */
const LEAST_SCALE = 0.7;

/** How many of those that depend on a part are listed. */
const MOST_LINKS = 30;

/** A platform as one self-contained page: the picture, all parts, and the reports. */
export function platformPage(
  platform: Platform,
  picture: Picture,
  reports: readonly PageReport[],
  title: string,
): string {
  const links = new Links(platform, picture);
  const { svg, layout } = drawing(picture, title, { linkOf: (box) => `#${links.idOf(box)}` });
  const isOpen = platform.parts.length <= MOST_OPEN;
  const sections = [
    { id: 'picture', title: 'Picture' },
    { id: 'parts', title: 'Parts' },
    ...reports,
  ];
  return htmlPage({
    title,
    style: `${PAGE_STYLE}.map svg { min-width: ${Math.round(layout.width * LEAST_SCALE)}px; }\n`,
    script: PAGE_SCRIPT,
    body: [
      `<h1>${htmlText(title)}</h1>`,
      `<p>${htmlText(platformSummary(platform))}. The page is made from the output of a synthesis: no cluster was read.</p>`,
      '<nav aria-label="Sections">',
      ...sections.map((section) => `<a href="#${section.id}">${htmlText(section.title)}</a>`),
      '</nav>',
      ...formOf(platform),
      '<section id="picture">',
      '<h2>Picture</h2>',
      '<p class="quiet">From left to right: what a cluster needs first. A line leads to what depends on a part. Enter opens a box below; arrows follow the lines.</p>',
      `<div class="scroll map" tabindex="0" role="region" aria-label="Picture of the platform">${svg}</div>`,
      '</section>',
      '<section id="parts">',
      '<h2>Parts</h2>',
      ...picture.lanes.map((lane) => laneHtml(lane, links, isOpen)),
      '</section>',
      ...reports.map(
        (report) =>
          `<section id="${report.id}"><h2>${htmlText(report.title)}</h2>${blocksHtml(report.blocks, report.title)}</section>`,
      ),
    ],
  });
}

/** The anchors of the parts, and of the boxes that contain several. */
class Links {
  private readonly byId: ReadonlyMap<string, PlatformPart>;
  private readonly anchors: ReadonlyMap<string, string>;
  private readonly groups: ReadonlyMap<Box, string>;
  private readonly dependents: ReadonlyMap<string, readonly PlatformPart[]>;
  private readonly kinds: ReadonlyMap<string, string>;

  constructor(platform: Platform, { lanes }: Picture) {
    const { parts, clusters } = platform;
    this.byId = new Map(parts.map((part) => [part.id, part]));
    this.anchors = new Map(parts.map(({ id }, index) => [id, `part-${index + 1}`]));
    const boxes = lanes.flatMap((lane) => lane.boxes).filter((box) => box.parts.length > 1);
    this.groups = new Map(boxes.map((box, index) => [box, `group-${index + 1}`]));
    this.dependents = dependents(platform);
    this.kinds = new Map(clusters.map(({ name, kind }) => [name, kind]));
  }

  public idOf(box: Box): string {
    return this.groups.get(box) ?? this.anchorOf(box.parts[0]!);
  }

  public anchorOf({ id }: PlatformPart): string {
    return this.anchors.get(id)!;
  }

  public kindOf({ cluster }: PlatformPart): string {
    return this.kinds.get(cluster)!;
  }

  /** Links to what a part depends on. */
  public needsOf(part: PlatformPart): string {
    return this.listOf(
      part.dependsOn.map((id) => this.byId.get(id)!),
      part,
    );
  }

  /** Links to what depends on a part. */
  public neededBy(part: PlatformPart): string {
    return this.listOf(this.dependents.get(part.id) ?? [], part);
  }

  private listOf(parts: readonly PlatformPart[], from: PlatformPart): string {
    const shown = parts
      .slice(0, MOST_LINKS)
      .map((part) => `<a href="#${this.anchorOf(part)}">${htmlText(whereIs(part, from))}</a>`);
    const more = parts.length - shown.length;
    return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
}

function formOf({ clusters, parts }: Platform): string[] {
  const kinds = [...new Set(clusters.map(({ kind }) => kind))];
  const nouns = [...new Set(parts.map(({ noun }) => noun))].sort(compare);
  return [
    '<form hidden role="search" aria-label="Parts and reports">',
    '<label class="wide">Search (/) <input type="search" name="text" placeholder="a name, an address, a person"></label>',
    select(
      'kind',
      'Cluster',
      kinds.map((kind) => [kind, PRODUCT_OF[kind].name]),
    ),
    select(
      'noun',
      'Part',
      nouns.map((noun) => [noun, pluralOf(noun)]),
    ),
    select('state', 'State', [
      ['late', 'waits for late values'],
      ['problem', 'has problems'],
    ]),
    '<button type="reset">Show all</button>',
    '<span role="status" aria-live="polite"></span>',
    '</form>',
  ];
}

function select(
  name: string,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
): string {
  const all = options.map(
    ([value, text]) => `<option value="${htmlText(value)}">${htmlText(text)}</option>`,
  );
  return `<label>${label} <select name="${name}"><option value="">all</option>${all.join('')}</select></label>`;
}

function laneHtml({ title, boxes }: Lane, links: Links, isOpen: boolean): string {
  return [
    `<details class="lane"${isOpen ? ' open' : ''}><summary>${htmlText(title)}</summary>`,
    ...boxes.map((box) => boxHtml(box, links)),
    '</details>',
  ].join('\n');
}

function boxHtml(box: Box, links: Links): string {
  const parts = box.parts.map((part) => partHtml(part, links));
  if (parts.length === 1) {
    return parts[0]!;
  }
  return (
    `<details class="group" id="${links.idOf(box)}"><summary>${htmlText(box.noun)}${factsHtml(box.facts)}</summary>` +
    `${folded(parts, pluralOf(box.parts[0]!.noun), (own) => own.join('\n'))}</details>`
  );
}

function partHtml(part: PlatformPart, links: Links): string {
  const { noun, name, facts, problems, late } = part;
  const states = [
    ...(late.length > 0 ? ['late'] : []),
    ...(problems.length > 0 ? ['problem'] : []),
  ];
  const shown = [
    ...problems.map((text) => ({ tone: 'problem', text })),
    ...(late.length > 0 ? [{ tone: 'late', text: `waits for ${late.join(', ')}` }] : []),
    ...facts.map((text) => ({ tone: 'plain', text })),
  ];
  const rows = [
    ['cluster', htmlText(part.cluster)],
    ['construct', `<code>${htmlText(part.construct)}</code>`],
    ['objects', part.objects.map((object) => `<code>${htmlText(object)}</code>`).join(', ')],
    ['depends on', links.needsOf(part)],
    ['needed by', links.neededBy(part)],
  ].filter(([, value]) => value !== '');
  return (
    `<details class="part ${states.join(' ')}" id="${links.anchorOf(part)}" data-kind="${links.kindOf(part)}" data-noun="${htmlText(noun)}" data-state="${states.join(' ')}">` +
    `<summary><span class="noun">${htmlText(noun)}</span> <b>${htmlText(name)}</b>${factsHtml(shown)}</summary>` +
    `<dl>${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl></details>`
  );
}

function factsHtml(facts: readonly { readonly tone: string; readonly text: string }[]): string {
  return facts
    .map(({ tone, text }) => ` <span class="fact ${tone}">${htmlText(text)}</span>`)
    .join('');
}
