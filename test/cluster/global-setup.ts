import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { Client, Connection } from './client';
import { CLUSTERS_ENV, ClusterKind, Clusters } from './clusters';
import { ControlPlane, hasControllers } from './control-plane';
import { removeAtExit } from './daemon';
import { definitionsFor, installDefinitions } from './definitions';
import { readManifests } from './manifests';
import { Manifest } from '../../src/core/manifest/manifest';

const KINDS: readonly ClusterKind[] = ['rancher', 'harvester', 'guest'];

/** What build.js exits with where this machine cannot have a control plane. */
const UNAVAILABLE = 3;

/** Starts a control plane of each kind at once, with the definitions of its kind, and passes their addresses to the tests. */
export default async function globalSetup(): Promise<void> {
  const [assets, kubevirt] = [build('build.js'), build('build-kubevirt.js')];
  for (const { unavailable } of [assets, kubevirt]) {
    if (unavailable) return skip(unavailable);
  }
  if (!hasControllers(assets.folder)) return skip(`${assets.folder} lacks kube-controller-manager, without which a deleted namespace is never gone`);

  const started = Date.now();
  const connections = await Promise.all(KINDS.map(async kind => {
    const definitions = [...definitionsFor(kind), ...(kind === 'harvester' ? readManifests(kubevirt.folder) : [])];
    return [kind, await start(assets.folder, definitions)] as const;
  }));
  share({ assets: assets.folder, connections: Object.fromEntries(connections) as Clusters['connections'] });
  console.log(`${KINDS.length} control planes with their definitions were ready after ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

/** What a build leaves in a folder, or why this machine can't have it. */
function build(script: string): { readonly folder: string; readonly unavailable?: string } {
  const { status, stdout } = spawnSync(process.execPath, [path.join(__dirname, script)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0 && status !== UNAVAILABLE) throw new Error(`${script} failed: see above`);
  return { folder: stdout.trim(), ...(status === UNAVAILABLE ? { unavailable: stdout.trim() } : {}) };
}

async function start(assets: string, definitions: readonly Manifest[]): Promise<Connection> {
  const { url, ca, token } = await ControlPlane.start({ assets });
  await installDefinitions(new Client({ url, ca, token }), definitions);
  return { url, ca, token };
}

/** The workers that run the tests inherit the environment. The servers, the folder and the file go when this process ends. */
function share(clusters: Clusters): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cdk8s-harvester-clusters-'));
  removeAtExit(folder);
  process.env[CLUSTERS_ENV] = path.join(folder, 'clusters.json');
  fs.writeFileSync(process.env[CLUSTERS_ENV], JSON.stringify(clusters), { mode: 0o600 });
}

/** Tests that did not run must not look like tests that passed: CI has everything they need, so there it is a failure. */
function skip(reason: string): void {
  if (/^(1|true)$/.test(process.env.CI ?? '')) throw new Error(`the cluster tests cannot run, and with CI set they must: ${reason}`);
  const line = '!'.repeat(100);
  console.warn(`${line}\n!! THE CLUSTER TESTS ARE SKIPPED: nothing is checked against an API server\n!! ${reason}\n${line}`);
}
