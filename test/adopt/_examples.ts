import { createHash } from 'crypto';
import { existsSync, readdirSync } from 'fs';
import { join } from 'path';
import { withoutSecretValues } from '../../src/adopt/read/hidden-secrets';
import { TargetKind } from '../../src/core/construct/target';
import { FoundCluster } from '../../src/core/draft/draft';
import { complete, withEachText } from '../../src/core/late/late-text';
import { Manifest, refKey } from '../../src/core/manifest/manifest';
import { loadAssembly } from '../../src/engine/read/load-assembly';

/** Another folder of examples, for those of another checkout. */
const EXAMPLES = process.env.EXAMPLES_DIR ?? join(__dirname, '..', '..', 'examples');

/** The examples that commit what they write. */
export const EXAMPLE_NAMES = readdirSync(EXAMPLES)
  .filter((name) => existsSync(join(EXAMPLES, name, 'dist', 'assembly.json')))
  .sort();

/** How values of fields begin that the props check. */
const FORMS: { readonly [path: string]: string } = {
  'status.resourceName': 'example.com/',
  'status.storageClassName': 'lh-',
};

/**
 * What an example commits, as if it were found on its clusters: with values that only clusters
 * know.
 */
export function exampleClusters(name: string): FoundCluster[] {
  const {
    assembly: { targets, objects, lateValues },
    manifests,
  } = loadAssembly(join(EXAMPLES, name, 'dist'));
  const texts = new Map(
    lateValues.flatMap(({ id, source }) => ('text' in source ? [[id, source.text] as const] : [])),
  );
  const read = new Map(
    lateValues.flatMap(({ id, source }) =>
      'text' in source
        ? []
        : [
            [
              id,
              `${'path' in source ? (FORMS[source.path] ?? '') : ''}${valueOf(source.name)}`,
            ] as const,
          ],
    ),
  );
  const values = withEachText(texts, read);
  return targets.map(({ name: target, kind, version, properties: { serverUrl, vip } = {} }) => ({
    name: target,
    kind: kind as TargetKind,
    version,
    serverUrl,
    vip,
    unread: [],
    objects: objects
      .filter((object) => object.target === target)
      .map((object) => ({
        target,
        manifest: withoutSecretValues(shown(complete(manifests.get(object.id)!, values))),
        from: `the example ${name}: ${refKey(object)}`,
      })),
  }));
}

function valueOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20);
}

/** A Cluster as Rancher shows it, with its ID. */
function shown(manifest: Manifest): Manifest {
  const {
    kind,
    apiVersion,
    metadata: { name, annotations = {} },
  } = manifest;
  if (kind !== 'Cluster' || !apiVersion.startsWith('provisioning.')) {
    return manifest;
  }
  return {
    ...manifest,
    status: {
      clusterName:
        annotations['provisioning.cattle.io/management-cluster-name'] ??
        `c-m-${valueOf(name).slice(0, 8)}`,
    },
  };
}
