import { pluralOf } from './part-nouns';
import { PartChange, Platform, PlatformCluster, PlatformPart } from './platform';
import { reach } from '../../core/graph/reach';
import { plural, some } from '../../core/text/plain-text';
import { compare, grouped } from '../../core/text/values';
import { PRODUCT_OF } from '../../engine/read/load-assembly';

/** A platform as few boxes: what is alike, and many, is one box with a count. */
export interface Picture {
  readonly lanes: readonly Lane[];
  /** Each from what is needed to what depends on it; those that follow from others are left out. */
  readonly lines: readonly Line[];
}

/** A cluster, or many that are alike. */
export interface Lane {
  readonly title: string;
  readonly boxes: readonly Box[];
}

/** A part, or many that are alike. */
export interface Box {
  readonly noun: string;
  readonly name: string;
  /** What is known of it, in short. */
  readonly facts: readonly BoxFact[];
  readonly tone: BoxTone;
  readonly isAround: boolean;
  readonly parts: readonly PlatformPart[];
}

/** Whether something is wrong with a part, or it waits for late values, or changes. */
export type BoxTone = PartChange | 'problem' | 'late' | 'plain';

export interface BoxFact {
  readonly tone: BoxTone;
  readonly text: string;
}

export interface Line {
  readonly from: Box;
  readonly to: Box;
}

/** More clusters of one kind are one lane, and more parts of one noun on a cluster one box. */
const MOST_CLUSTERS = 6;
const MOST_PARTS = 4;

/** How many facts a box has. */
const MOST_FACTS = 4;

const CLUSTERS = { rancher: 'Ranchers', harvester: 'Harvesters', guest: 'guest clusters' } as const;

/** The clusters of a platform; many of one kind, on one Harvester, are together. */
export function alikeClusters({
  clusters,
}: Pick<Platform, 'clusters'>): readonly (readonly PlatformCluster[])[] {
  return [
    ...grouped(clusters, ({ kind, harvester = '', rancher = '' }) =>
      [kind, harvester, rancher].join(' '),
    ).values(),
  ].flatMap((group) =>
    group.length > MOST_CLUSTERS ? [group] : group.map((cluster) => [cluster]),
  );
}

/** What a lane is called, e.g. `Harvester 1.7.2: dc1`. */
export function laneTitle(clusters: readonly PlatformCluster[]): string {
  const [{ kind, name, version, harvester }] = clusters as [PlatformCluster];
  const place = harvester === undefined ? '' : ` on ${harvester}`;
  return clusters.length === 1
    ? `${PRODUCT_OF[kind].name} ${version}: ${name}${place}`
    : `${clusters.length} ${CLUSTERS[kind]}${place}: ${namesOf(clusters)}`;
}

/** The first name of several, e.g. `alice and 99 more`; those of each cluster may be the same. */
function namesOf(of: readonly { readonly name: string }[]): string {
  return some([...new Set(of.map(({ name }) => name))].sort(compare), 1);
}

/** The picture of a platform. */
export function pictureOf(platform: Platform): Picture {
  const byCluster = grouped(platform.parts, ({ cluster }) => cluster);
  const lanes = alikeClusters(platform)
    .map((clusters): Lane => {
      const parts = clusters.flatMap(({ name }) => byCluster.get(name) ?? []);
      return { title: laneTitle(clusters), boxes: boxesOf(parts) };
    })
    .filter(({ boxes }) => boxes.length > 0);
  return { lanes, lines: linesOf(lanes.flatMap(({ boxes }) => boxes)) };
}

function boxesOf(parts: readonly PlatformPart[]): Box[] {
  const alike = grouped(parts, ({ noun, isAround = false, change = '' }) =>
    [noun, isAround, change].join(' '),
  );
  return [...alike.values()].flatMap((group) =>
    group.length > MOST_PARTS ? [boxOf(group)] : group.map((part) => boxOf([part])),
  );
}

function boxOf(parts: readonly PlatformPart[]): Box {
  const [first] = parts as [PlatformPart];
  const { change } = first;
  const facts = [
    ...(change === undefined ? [] : [{ tone: change, text: change }]),
    ...(parts.length === 1 ? factsOf(first) : countsOf(parts)),
  ];
  const tones = new Set(facts.map(({ tone }) => tone));
  const more = facts.length - MOST_FACTS;
  return {
    noun: parts.length === 1 ? first.noun : `${parts.length} ${pluralOf(first.noun)}`,
    name: parts.length === 1 ? first.name : namesOf(parts),
    facts:
      more > 1
        ? [...facts.slice(0, MOST_FACTS), { tone: 'plain', text: `and ${more} more` }]
        : facts,
    tone: change ?? (['problem', 'late'] as const).find((tone) => tones.has(tone)) ?? 'plain',
    isAround: first.isAround ?? false,
    parts,
  };
}

function factsOf({ problems, facts, late }: PlatformPart): BoxFact[] {
  const waits = late.length === 0 ? [] : [`waits for ${plural(late.length, 'late value')}`];
  return [
    ...problems.map((text): BoxFact => ({ tone: 'problem', text })),
    ...waits.map((text): BoxFact => ({ tone: 'late', text })),
    ...facts.map((text): BoxFact => ({ tone: 'plain', text })),
  ];
}

/** How many of several parts have problems, or wait. */
function countsOf(parts: readonly PlatformPart[]): BoxFact[] {
  const counts = [
    ['problem', parts.filter(({ problems }) => problems.length > 0).length, 'with problems'],
    ['late', parts.filter(({ late }) => late.length > 0).length, 'with late values'],
  ] as const;
  return counts
    .filter(([, count]) => count > 0)
    .map(([tone, count, what]) => ({ tone, text: `${count} ${what}` }));
}

/** The lines between boxes, in an order of creation, without those that others imply. */
function linesOf(all: readonly Box[]): Line[] {
  const boxOfPart = new Map(all.flatMap((box) => box.parts.map((part) => [part.id, box] as const)));
  const needs = new Map(
    all.map((box) => [
      box,
      new Set(
        box.parts.flatMap(({ dependsOn }) => dependsOn.flatMap((id) => boxOfPart.get(id) ?? [])),
      ),
    ]),
  );
  const places = new Map(inOrder(all, needs).map((box, place) => [box, place]));
  // those of a circle are against the order
  const earlier = (box: Box): Box[] =>
    [...needs.get(box)!]
      .filter((other) => places.get(other)! < places.get(box)!)
      .sort((a, b) => places.get(a)! - places.get(b)!);
  return [...places.keys()].flatMap((box) => {
    const direct = earlier(box);
    const implied = reach(direct.flatMap(earlier), earlier);
    return direct.filter((other) => !implied.has(other)).map((from): Line => ({ from, to: box }));
  });
}

/** The boxes, each after those that it needs; many parts in one box may need each other in circles. */
function inOrder(all: readonly Box[], needs: ReadonlyMap<Box, ReadonlySet<Box>>): Box[] {
  const left = new Set(all);
  const isFree = (box: Box): boolean =>
    [...needs.get(box)!].every((other) => other === box || !left.has(other));
  const order: Box[] = [];
  while (left.size > 0) {
    const next = [...left].find(isFree) ?? [...left][0]!;
    left.delete(next);
    order.push(next);
  }
  return order;
}
