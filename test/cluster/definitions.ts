import { complaints } from './apply-all';
import { Client } from './client';
import { ClusterKind } from './clusters';
import { untilServed } from './served';
import { Manifest } from '../../src/core/manifest/manifest';
import { KnownKind, VersionShape, knownKinds } from '../../src/core/shape/shape-node';
import { definitionOf } from '../support/definition-of';

/** The Rancher whose definitions the clusters have. */
const RANCHER = '2.13.8';

/** These come from KubeVirt's client library. */
const KUBEVIRT = /^kubevirt\.io\/v1\/VirtualMachine/;

/** The definitions of a target, made of our shapes. */
export function definitionsFor(target: ClusterKind): Manifest[] {
  return [...knownKinds()]
    .filter(([name, { product }]) => product === target && !KUBEVIRT.test(name))
    .map(([name, kind]) => definitionOf(name, kind, installedShape(kind).file));
}

/** The definition of a kind as its newest version has it. */
export function newestDefinition(name: string): Manifest & { readonly spec: any } {
  const kind = knownKinds().get(name)!;
  return definitionOf(name, kind, kind.versions.at(-1)!.file);
}

/**
 * The shape of a kind that the clusters have its definition from. A kind that came later has its
 * first one.
 */
export function installedShape(kind: KnownKind): VersionShape {
  return shapeAt(kind, RANCHER);
}

function shapeAt({ versions }: KnownKind, version: string): VersionShape {
  return (
    versions
      .filter(({ from }) => from.localeCompare(version, undefined, { numeric: true }) <= 0)
      .at(-1) ?? versions[0]
  );
}

/**
 * The definitions of kinds as a version of Rancher has them, where the clusters have others, with
 * those of the clusters.
 */
export function otherDefinitions(
  names: readonly string[],
  version: string,
): readonly (readonly [other: Manifest, own: Manifest])[] {
  return names.flatMap((name) => {
    const kind = knownKinds().get(name);
    if (kind?.product !== 'rancher' || shapeAt(kind, version) === installedShape(kind)) {
      return [];
    }
    return [
      [
        definitionOf(name, kind, shapeAt(kind, version).file),
        definitionOf(name, kind, installedShape(kind).file),
      ],
    ];
  });
}

/** Installs definitions, all at once, and waits until the server serves them. */
export async function installDefinitions(
  client: Client,
  definitions: readonly Manifest[],
): Promise<void> {
  await Promise.all(definitions.map(async (definition) => install(client, definition)));
}

async function install(client: Client, definition: Manifest): Promise<void> {
  const answer = await client.apply(definition);
  const problems = complaints({ object: definition, answer });
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
  await untilServed(client, definition);
}
