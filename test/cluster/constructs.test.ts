import { UnknownKindError } from './client';
import { ClusterKind, clientOf, describeCluster } from './clusters';
import { Manifest, objectLabel } from '../../src/core/manifest/manifest';
import { judge } from '../../src/core/rule/judge';
import { World } from '../../src/core/rule/rule';
import { ALL_RULES } from '../../src/registry/all-rules';
import { CONSTRUCTIONS, placesOf } from '../adopt/_inverses';
import { foundIn } from '../adopt/_round-trip';
import { Versions } from '../props/_place';

/** Of the definitions that the servers have. */
const VERSIONS: Versions = { rancher: '2.13.8', harvester: '1.9.0', kubernetes: 'rke2' };

/** Kinds whose definitions neither the servers nor our shapes have. */
const NOT_SERVED = ['VolumeSnapshotClass'];

/** These are a part of an object that is there: infrastructure.test.ts applies one. */
const PARTS = /^BundledAddon/;

/**
 * The server's words where it refuses an object; undefined where it takes it, or has it already.
 * Creates without leaving anything.
 */
async function refusal(kind: ClusterKind, manifest: Manifest): Promise<string | undefined> {
  const client = clientOf(kind);
  const { namespace, ...metadata } = manifest.metadata;
  // a dry run creates no namespace that the next one could use
  const body = {
    ...manifest,
    metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace: 'default' }) },
  };
  const path = (await client.pathOf(body)).replace(/\/[^/]+$/, '');
  const { status, body: answer } = await client.request('POST', path, {
    query: { dryRun: 'All', fieldValidation: 'Strict' },
    body,
  });
  return status < 300 || status === 409 ? undefined : `${status} ${answer?.message}`;
}

/**
 * Whether lint reports it, too: the generator of props chooses values without a meaning. Servers
 * ignore unknown fields unless a client asks them not to.
 */
function isReported(kind: ClusterKind, manifest: Manifest, refused: string): boolean {
  const target = {
    name: kind,
    kind,
    rancherVersion: VERSIONS.rancher,
    harvesterVersion: VERSIONS.harvester,
  };
  return judge(ALL_RULES, new World([{ manifest, target }])).some(({ rule, level }) =>
    refused.includes('unknown field') ? rule === 'object/unknown-field' : level === 'error',
  );
}

describeCluster('what constructs write with each of their props', () => {
  const names = [...CONSTRUCTIONS.keys()].filter((name) => !PARTS.test(name));

  test.each(names)('%s is taken by a strict server, or reported by the rules', async (name) => {
    const seen = new Set<string>();
    const refusals: { [prop: string]: string } = {};
    let taken = 0;
    for (const [prop, place] of placesOf(CONSTRUCTIONS.get(name)!, VERSIONS)) {
      for (const { kind, objects } of foundIn(place)) {
        for (const { manifest } of objects.filter(
          (each) => !NOT_SERVED.includes(each.manifest.kind),
        )) {
          const text = `${kind} ${JSON.stringify(manifest)}`;
          if (seen.has(text)) {
            continue;
          }
          seen.add(text);
          const refused = await refusal(kind, manifest);
          if (refused === undefined) {
            taken++;
          } else if (!isReported(kind, manifest, refused)) {
            refusals[`${prop}: ${objectLabel(manifest)}`] = refused;
          }
        }
      }
    }
    expect({ name, refusals }).toEqual({ name, refusals: {} });
    expect(seen.size === 0 || taken > 0).toBe(true);
  });

  test('what is not served, is not served', async () => {
    for (const kind of NOT_SERVED) {
      await expect(
        clientOf('guest').pathOf({
          apiVersion: 'snapshot.storage.k8s.io/v1',
          kind,
          metadata: { name: 'one' },
        }),
      ).rejects.toThrow(UnknownKindError);
    }
  });
});
