import { Client, Connection } from './client';
import { ClusterKind, Clusters } from './clusters';
import { ControlPlane, hasControllers } from './control-plane';
import { definitionsFor, installDefinitions } from './definitions';
import { readManifests } from './manifests';
import { build, share, skip } from './setup';
import { Manifest } from '../../src/core/manifest/manifest';

const TESTS = 'the cluster tests';
const KINDS: readonly ClusterKind[] = ['rancher', 'harvester', 'guest'];

/**
 * Starts a control plane of each kind at once, with the definitions of its kind, and passes their
 * addresses to the tests.
 */
export default async function globalSetup(): Promise<void> {
  const [assets, kubevirt] = [build('build.js'), build('build-kubevirt.js')];
  for (const { unavailable } of [assets, kubevirt]) {
    if (unavailable) {
      return skip(TESTS, unavailable);
    }
  }
  if (!hasControllers(assets.folder)) {
    return skip(
      TESTS,
      `${assets.folder} lacks kube-controller-manager, without which a deleted namespace is never gone`,
    );
  }

  const started = Date.now();
  const connections = await Promise.all(
    KINDS.map(async (kind) => {
      const definitions = [
        ...definitionsFor(kind),
        ...(kind === 'harvester' ? readManifests(kubevirt.folder) : []),
      ];
      return [kind, await start(assets.folder, definitions)] as const;
    }),
  );
  share({
    assets: assets.folder,
    connections: Object.fromEntries(connections) as Clusters['connections'],
  });
  console.log(
    `${KINDS.length} control planes with their definitions were ready after ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
}

async function start(assets: string, definitions: readonly Manifest[]): Promise<Connection> {
  const { url, ca, token } = await ControlPlane.start({ assets });
  await installDefinitions(new Client({ url, ca, token }), definitions);
  return { url, ca, token };
}
