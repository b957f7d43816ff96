import { Platform, PlatformCluster, PlatformPart } from './platform';
import { plural } from '../../core/text/plain-text';
import { BLANK, Block, line, list, pinned, toned } from '../../core/text/screen';
import { grouped } from '../../core/text/values';
import { PRODUCT_OF } from '../../engine/read/load-assembly';

/** A platform for a terminal: the parts of each cluster, with what each depends on. */
export function platformText(platform: Platform): Block[] {
  const { clusters, parts } = platform;
  const byId = new Map(parts.map((part) => [part.id, part]));
  const byCluster = grouped(parts, ({ cluster }) => cluster);
  const shown = clusters.filter(({ name }) => byCluster.has(name));
  return [
    list(
      shown.map((cluster) => [
        clusterLine(cluster),
        list(
          byCluster.get(cluster.name)!.map((part) => {
            const blocks = partLines(part, byId);
            return part.problems.length > 0 ? pinned(blocks) : blocks;
          }),
          'parts',
          2,
        ),
        BLANK,
      ]),
      'clusters',
    ),
    line(platformSummary(platform)),
  ];
}

function clusterLine({ kind, name, version, harvester, rancher }: PlatformCluster): Block {
  const places = [
    ...(harvester === undefined ? [] : [`on ${harvester}`]),
    ...(rancher === undefined ? [] : [`managed by ${rancher}`]),
  ];
  return line([
    toned('title', name),
    `  ${PRODUCT_OF[kind].name} ${version}`,
    toned('quiet', places.length === 0 ? '' : `  ${places.join(', ')}`),
  ]);
}

function partLines(part: PlatformPart, byId: ReadonlyMap<string, PlatformPart>): Block[] {
  const { noun, name, facts, problems, late, dependsOn } = part;
  const others = dependsOn.map((id) => whereIs(byId.get(id)!, part));
  return [
    line([`${noun} ${name}`, toned('quiet', facts.length > 0 ? `  ${facts.join(', ')}` : '')], 2),
    ...problems.map((problem) => line(toned('error', problem), 4)),
    ...(late.length > 0 ? [line([toned('warning', 'waits for '), late.join(', ')], 4)] : []),
    ...(others.length > 0 ? [line([toned('quiet', 'depends on '), others.join(', ')], 4)] : []),
  ];
}

/** A part as another one names it: with its cluster, if that is another one. */
export function whereIs(part: PlatformPart, from: Pick<PlatformPart, 'cluster'>): string {
  const name = `${part.noun} ${part.name}`;
  return part.cluster === from.cluster ? name : `${name} on ${part.cluster}`;
}

/** e.g. `3 clusters, 12 parts; 2 wait for late values` */
export function platformSummary({ clusters, parts }: Platform): string {
  const late = parts.filter((part) => part.late.length > 0).length;
  const problems = parts.filter((part) => part.problems.length > 0).length;
  return [
    `${plural(clusters.length, 'cluster')}, ${plural(parts.length, 'part')}`,
    ...(late > 0 ? [`${late} ${late === 1 ? 'waits' : 'wait'} for late values`] : []),
    ...(problems > 0 ? [`${problems} with problems`] : []),
  ].join('; ');
}
