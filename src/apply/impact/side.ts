import { Assembly, AssemblyLateValue } from '../../model/assembly';
import { GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND } from '../../model/guest/rancher-names';
import { withoutRecord } from '../../model/late-text';
import { LATE_TOKEN } from '../../model/late-token';
import { groupOf, isRecord, valueAt } from '../../model/manifest';
import { GROUPS } from '../../model/names';
import { JudgedObject } from '../../rules/rule';

/** More than this and texts name each other in a circle. */
const MAX_DEPTH = 8;

/**
 * One side of a comparison: the guest clusters of a set of manifests, and what they are made of.
 *
 * Late values are written as what they come from, so that a new id for the same value is no change, and another text around the same values is one.
 */
export class Side {
  public readonly clusters: readonly JudgedObject[];
  private readonly objects = new Map<string, JudgedObject[]>();
  private readonly lateValues: ReadonlyMap<string, AssemblyLateValue>;

  constructor(objects: readonly JudgedObject[], assemblies: readonly Assembly[] = []) {
    this.lateValues = new Map(assemblies.flatMap(({ lateValues }) => lateValues.map((value) => [value.id, value] as const)));
    for (const object of objects) {
      const key = keyOf(groupOf(object.manifest.apiVersion), object.manifest.kind, object.manifest.metadata.namespace, object.manifest.metadata.name);
      this.objects.set(key, [...(this.objects.get(key) ?? []), object]);
    }
    this.clusters = objects.filter(({ manifest }) => groupOf(manifest.apiVersion) === GROUPS.PROVISIONING && manifest.kind === 'Cluster');
  }

  /** The same object on this side; by its target where there are several of that name. */
  public find(group: string, kind: string, namespace: string | undefined, name: string, target: string): JudgedObject | undefined {
    const candidates = this.objects.get(keyOf(group, kind, namespace, name)) ?? [];
    return candidates.length <= 1 ? candidates[0] : candidates.find((candidate) => candidate.target.name === target);
  }

  public cluster(like: JudgedObject): JudgedObject | undefined {
    const { namespace, name } = like.manifest.metadata;
    return this.find(GROUPS.PROVISIONING, 'Cluster', namespace, name, like.target.name);
  }

  public machineConfig(cluster: JudgedObject, name: string): JudgedObject | undefined {
    return this.find(GROUP_MACHINE_CONFIG, HARVESTER_CONFIG_KIND, cluster.manifest.metadata.namespace, name, cluster.target.name);
  }

  /** A value with its late values as what they come from. */
  public resolved(value: unknown): unknown {
    if (typeof value === 'string') { return this.text(value, 0); }
    if (Array.isArray(value)) { return value.map((item) => this.resolved(item)); }
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.resolved(inner)])) : value;
  }

  private text(text: string, depth: number): string {
    if (!text.includes('${late:') || depth > MAX_DEPTH) { return text; }
    // as the record of YAML around it was made by one version and not by another
    return withoutRecord(text).replace(new RegExp(LATE_TOKEN), (token, id: string, encodings: string) => {
      const value = this.lateValues.get(id);
      if (!value) { return token; }
      const { source } = value;
      const from = source.resolver === 'text' && 'text' in source
        ? this.text(source.text, depth + 1)
        : ['target', 'apiVersion', 'kind', 'namespace', 'name', 'path'].map((field) => valueAt(source, field) ?? '').join(' ');
      // on one line within another text, so that lines are counted as people see them
      return `\${late ${token === text ? from : from.replace(/\n/g, '\\n')}${encodings === '' ? '' : ` in ${encodings.slice(1)}`}}`;
    });
  }
}

function keyOf(group: string, kind: string, namespace: string | undefined, name: string): string {
  return `${group}/${kind} ${namespace ?? ''}/${name}`;
}
