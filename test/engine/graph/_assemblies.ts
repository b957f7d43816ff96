import { lateIdsIn } from '../../../src/core/late/late-text';
import { isLate } from '../../../src/core/late/late-token';
import { Manifest, groupOf, kindKey } from '../../../src/core/manifest/manifest';
import {
  Assembly,
  AssemblyEdge,
  AssemblyGroup,
  AssemblyLateValue,
  AssemblyObject,
  AssemblyTarget,
} from '../../../src/core/output/assembly';

/** A small program as synthesis writes it down. */
export class SmallProgram {
  public readonly targets: AssemblyTarget[] = [];
  public readonly objects: AssemblyObject[] = [];
  public readonly manifests = new Map<string, Manifest>();
  public readonly edges: AssemblyEdge[] = [];
  public readonly groups: AssemblyGroup[] = [];
  public readonly lateValues: AssemblyLateValue[] = [];

  public target(
    name: string,
    kind: AssemblyTarget['kind'],
    properties: AssemblyTarget['properties'] = {},
  ): this {
    this.targets.push({ name, kind, version: '1', folder: name, construct: name, properties });
    return this;
  }

  /** Adds an object; returns its id. */
  public object(
    target: string,
    apiVersion: string,
    kind: string,
    path: string,
    content: { [field: string]: unknown } = {},
  ): string {
    const [name, namespace] = path.split('/').reverse();
    const { metadata, ...rest } = content;
    const id = `${target}/${kindKey(groupOf(apiVersion), kind)}/${namespace ?? ''}/${name}`;
    const manifest: Manifest = {
      apiVersion,
      kind,
      metadata: { name, ...(namespace ? { namespace } : {}), ...(metadata as object) },
      ...rest,
    };
    const late = lateIdsIn(manifest);
    this.objects.push({
      id,
      target,
      apiVersion,
      kind,
      name,
      construct: `${target}/${kind}-${name}`,
      ...(namespace ? { namespace } : {}),
      ...(isLate(JSON.stringify(manifest))
        ? { template: manifest, lateValues: late }
        : { file: `${target}/all.yaml` }),
    });
    for (const to of late) {
      this.edges.push({ from: id, to: `late:${to}`, type: 'value' });
    }
    this.manifests.set(id, manifest);
    return id;
  }

  public configMap(name: string, target = 'dc1'): string {
    return this.object(target, 'v1', 'ConfigMap', `default/${name}`);
  }

  public late(
    id: string,
    source: AssemblyLateValue['source'],
    more: Partial<AssemblyLateValue> = {},
  ): this {
    this.lateValues.push({
      id,
      description: `the ${id}`,
      type: 'string',
      sensitive: false,
      construct: `app/${id}`,
      source,
      ...more,
    });
    return this;
  }

  public edge(from: string, to: string, type: AssemblyEdge['type'] = 'applied'): this {
    this.edges.push({ from, to, type });
    return this;
  }

  public group(id: string, objects: readonly string[]): this {
    this.groups.push({ id, objects });
    return this;
  }

  public get assembly(): Assembly {
    const { targets, objects, groups, edges, lateValues } = this;
    return { schemaVersion: '3', targets, objects, groups, edges, lateValues, findings: [] };
  }
}

/** Whether one step comes only after another, through any number of edges. */
export function waits(
  graph: { nodes: ReadonlyMap<string, { after: readonly { to: string }[] }> },
  from: string,
  to: string,
): boolean {
  const seen = new Set([from]);
  for (const id of seen) {
    for (const edge of graph.nodes.get(id)!.after) {
      seen.add(edge.to);
    }
  }
  return from !== to && seen.has(to);
}
