import { Manifest, objectId } from '../../../src/core/manifest/manifest';
import {
  ASSEMBLY_VERSION,
  Assembly,
  AssemblyEdge,
  AssemblyObject,
  AssemblyTarget,
} from '../../../src/core/output/assembly';
import { World } from '../../../src/core/rule/rule';
import { FoundPlatform } from '../../../src/report/graph/page/graph-report';
import { PartNotes, platformOf } from '../../../src/report/graph/platform';

/** An output in memory. */
export interface Output {
  readonly assembly: Assembly;
  readonly manifests: ReadonlyMap<string, Manifest>;
}

const HARVESTERS = 2;

/**
 * The output of a platform: for each tenant a project, a namespace, and a guest cluster with a
 * Service, on one of two Harvesters.
 *
 * @param nameOf the display name of a project
 */
export function tenants(count: number, nameOf = (index: number) => `team-${index}`): Output {
  const targets: AssemblyTarget[] = [target('rancher', 'rancher', '2.13.8')];
  const objects: AssemblyObject[] = [];
  const edges: AssemblyEdge[] = [];
  const manifests = new Map<string, Manifest>();
  const add = (on: string, construct: string, manifest: Manifest): string => {
    const { apiVersion, kind, metadata } = manifest;
    const id = objectId(on, manifest);
    objects.push({
      id,
      target: on,
      construct,
      apiVersion,
      kind,
      ...metadata,
      file: `${on}/a.yaml`,
    });
    manifests.set(id, manifest);
    return id;
  };
  for (let index = 0; index < HARVESTERS; index++) {
    targets.push(target(`dc${index}`, 'harvester', '1.7.2', { managedAs: `rancher/c-dc${index}` }));
    add('rancher', `rancher/import-dc${index}/Resource`, {
      ...{ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' },
      metadata: { namespace: 'fleet-default', name: `dc${index}` },
      spec: {},
    });
  }
  for (let index = 0; index < count; index++) {
    const dc = `dc${index % HARVESTERS}`;
    const name = `team-${index}`;
    const project = add('rancher', `rancher/${name}/Resource`, {
      ...{ apiVersion: 'management.cattle.io/v3', kind: 'Project' },
      metadata: { namespace: `c-${dc}`, name },
      spec: { clusterName: `c-${dc}`, displayName: nameOf(index) },
    });
    const namespace = add(dc, `${dc}/${name}/Resource`, {
      ...{ apiVersion: 'v1', kind: 'Namespace' },
      metadata: { name: `${name}-vms` },
    });
    const cluster = add('rancher', `rancher/${name}-shop/Resource`, {
      ...{ apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' },
      metadata: { namespace: 'fleet-default', name: `${name}-shop` },
      spec: { rkeConfig: { machinePools: [{ name: 'all', quantity: 3 }] } },
    });
    targets.push(
      target(`${name}-shop`, 'guest', 'v1.33.6+rke2r1', { harvester: dc, rancher: 'rancher' }),
    );
    const web = add(`${name}-shop`, `rancher/${name}-shop/Chart/web/Resource`, {
      ...{ apiVersion: 'v1', kind: 'Service' },
      metadata: { namespace: 'default', name: 'web' },
      spec: { type: 'LoadBalancer', ports: [{ port: 443 }] },
    });
    edges.push(
      { from: namespace, to: project, type: 'applied' },
      { from: cluster, to: namespace, type: 'applied' },
      { from: web, to: cluster, type: 'ready' },
    );
  }
  const assembly = {
    ...{ schemaVersion: ASSEMBLY_VERSION, targets, objects, edges },
    ...{ groups: [], lateValues: [], findings: [] },
  };
  return { assembly: assembly as Assembly, manifests };
}

function target(
  name: string,
  kind: AssemblyTarget['kind'],
  version: string,
  properties: AssemblyTarget['properties'] = {},
): AssemblyTarget {
  const construct = kind === 'guest' ? `rancher/${name}/Chart` : name;
  return { name, kind, version, folder: name, construct, properties };
}

/** A platform without any report. */
export function foundIn(output: Output, notes?: PartNotes): FoundPlatform {
  return {
    platform: platformOf(output, notes),
    title: 'Platform',
    world: new World([]),
    fits: [],
    inputs: [],
    scrub: (text) => text,
  };
}
