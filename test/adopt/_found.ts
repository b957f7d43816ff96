import { AdoptResult, adoptPlatform } from '../../src/adopt/project/run-adopt';
import { TargetKind } from '../../src/core/construct/target';
import { FoundCluster } from '../../src/core/draft/draft';
import { Manifest, annotationsOf } from '../../src/core/manifest/manifest';
import { ANNOTATION_PROJECT_ID } from '../../src/core/manifest/names';
import { Generation, recordingOf } from '../support/recordings';

/** A Rancher with objects as its API shows them. */
export function foundRancher(version: string, objects: readonly Manifest[]): FoundCluster {
  return found(
    {
      name: 'rancher',
      kind: TargetKind.RANCHER,
      version,
      serverUrl: 'https://rancher.example.com',
    },
    objects,
  );
}

/** A Harvester with objects as its API shows them. */
export function foundHarvester(
  name: string,
  version: string,
  objects: readonly Manifest[],
): FoundCluster {
  return found(
    {
      name,
      kind: TargetKind.HARVESTER,
      version,
      vip: `10.${10 + Number(name.replace(/\D/g, '') || 0)}.0.10`,
    },
    objects,
  );
}

/** A guest cluster with objects as its API shows them. */
export function foundGuest(
  name: string,
  version: string,
  objects: readonly Manifest[],
): FoundCluster {
  return found({ name, kind: TargetKind.GUEST, version }, objects);
}

function found(
  cluster: Omit<FoundCluster, 'objects' | 'unread'>,
  objects: readonly Manifest[],
): FoundCluster {
  // as live objects have: those of files are taken for a user's
  const live = (manifest: Manifest): Manifest => ({
    ...manifest,
    metadata: { uid: 'uid', creationTimestamp: '2026-01-01T00:00:00Z', ...manifest.metadata },
  });
  return {
    ...cluster,
    objects: objects.map((manifest) => ({
      target: cluster.name,
      manifest: live(manifest),
      from: `context ${cluster.name}`,
    })),
    unread: [],
  };
}

/** What a recorded Rancher and its Harvester clusters held in the end. */
export function recordedClusters(generation: Generation, scenario: string): FoundCluster[] {
  const { objects } = recordingOf(generation, scenario);
  const last = objects.map(
    ({ states, applied }) => states[states.length - 1]?.object ?? applied,
  ) as unknown as Manifest[];
  const harvesters = last.filter(
    ({ kind, metadata: { labels = {} } }) =>
      kind === 'Cluster' && labels['provider.cattle.io'] === 'harvester',
  );
  const projectOf = (manifest: Manifest): string | undefined =>
    manifest.kind === 'Namespace'
      ? (annotationsOf(manifest)[ANNOTATION_PROJECT_ID] as string)
      : undefined;
  return [
    foundRancher(
      generation.rancher,
      last.filter((manifest) => projectOf(manifest) === undefined),
    ),
    ...harvesters.map((cluster) =>
      foundHarvester(
        cluster.metadata.name,
        generation.harvester,
        last.filter((manifest) =>
          projectOf(manifest)?.startsWith(
            `${annotationsOf(cluster)['provisioning.cattle.io/management-cluster-name'] as string}:`,
          ),
        ),
      ),
    ),
  ];
}

/** The program for what was found, as one text. */
export function adopted(
  clusters: readonly FoundCluster[],
): AdoptResult & { readonly text: string } {
  const result = adoptPlatform({ clusters });
  return {
    ...result,
    text: [...result.files].map(([file, text]) => `// ${file}\n${text}`).join('\n'),
  };
}
