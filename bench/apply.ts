import { execFileSync, spawn } from 'child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { ApiObject, Chart } from 'cdk8s';
import { SHAPES } from './shapes';
import { ControlPlane } from '../test/cluster/control-plane';
import { compiledCli } from '../test/cluster/doubles/cli-process';
import { FaultProxy } from '../test/support/fault-proxy';
import { GuestChart, HarvesterApp, OutputLayout } from 'cdk8s-harvester';

const ROOT = join(__dirname, '..');
const ROUNDS = 3;
const NAMESPACES = 50;

/** How applying goes, against kubectl on the same machine. */
export interface ApplyFigures {
  readonly objects: number;
  /** Medians in milliseconds, of whole processes. */
  readonly ours: number;
  readonly kubectl: number;
  readonly oursAgain: number;
  readonly kubectlAgain: number;
  /** Of a plan without a change. */
  readonly planRequests: number;
  /** Of an apply of five times as many. */
  readonly largeObjects: number;
  readonly largeMegabytes: number;
}

/** Undefined where this machine cannot have a control plane. */
export async function applyFigures(objects = 1_000, largeObjects = 5_000): Promise<ApplyFigures | undefined> {
  let assets: string;
  try {
    assets = execFileSync(process.execPath, [join(ROOT, 'test', 'cluster', 'build.js')], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
  } catch {
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'bench-apply-'));
  // servers in the background do not keep a process alive that waits for nothing but their end
  const alive = setInterval(() => undefined, 60_000);
  try {
    const times = { ours: [] as number[], kubectl: [] as number[], oursAgain: [] as number[], kubectlAgain: [] as number[] };
    const dist = synthesize(folder, objects);
    let planRequests = 0;
    // in turn, each on a control plane of its own: a fuller etcd is a slower one
    for (let round = 0; round < ROUNDS; round++) {
      await onPlane(assets, async (kubeconfig, plane) => {
        const apply = async (): Promise<number> => (await run(process.execPath, cli('apply', dist, kubeconfig), folder)).ms;
        times.ours.push(await apply());
        times.oursAgain.push(await apply());
        if (round === 0) { planRequests = await requestsOfPlan(dist, plane, folder); }
      });
      await onPlane(assets, async (kubeconfig) => {
        const apply = async (): Promise<number> => (await run(join(assets, 'kubectl'), ['--kubeconfig', kubeconfig, 'apply', '--server-side', '-R', '-f', join(dist, 'all')], folder)).ms;
        times.kubectl.push(await apply());
        times.kubectlAgain.push(await apply());
      });
    }
    const large = synthesize(folder, largeObjects);
    let largeMegabytes = 0;
    await onPlane(assets, async (kubeconfig) => { largeMegabytes = (await run(process.execPath, cli('apply', large, kubeconfig), folder)).megabytes; });
    const [ours, kubectl, oursAgain, kubectlAgain] = [times.ours, times.kubectl, times.oursAgain, times.kubectlAgain].map(median);
    return { objects, ours, kubectl, oursAgain, kubectlAgain, planRequests, largeObjects, largeMegabytes };
  } finally {
    clearInterval(alive);
    rmSync(folder, { recursive: true });
  }
}

/** What docs/speed.md says of it. */
export function applySection(figures: ApplyFigures | undefined): string {
  if (!figures) { return '\n## Apply\n\nNot measured: this machine has no control plane for tests.\n'; }
  const { objects, ours, kubectl, oursAgain, kubectlAgain, planRequests, largeObjects, largeMegabytes } = figures;
  return `
## Apply

Against \`kubectl apply --server-side\` of the same files, from the same Go module as the API server, whole processes with their start. Ours also
reads every object, keeps the inventory and the lock.

Goals: at most 0.20 of kubectl's time, at most one request an object for a plan without a change.

| ${objects.toLocaleString('en')} objects | ours / kubectl |
|---|---|
| first apply | ${(ours / kubectl).toFixed(2)} |
| again, without a change | ${(oursAgain / kubectlAgain).toFixed(2)} |

A plan without a change takes ${(planRequests / objects).toFixed(2)} requests an object, with all that it asks besides.
An apply of ${largeObjects.toLocaleString('en')} objects takes ${largeMegabytes} MB of memory at most.
`;
}

function synthesize(folder: string, objects: number): string {
  const outdir = join(folder, `dist-${objects}`);
  const app = new HarvesterApp({ outdir, layout: OutputLayout.FILE_PER_KIND, printWarnings: false });
  const chart = new GuestChart(app, 'all', { version: 'v1.34.4+rke2r1' });
  for (let n = 0; n < NAMESPACES; n++) { new ApiObject(chart, `team-${n}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${n}` } }); }
  SHAPES[0].fill((id) => new Chart(chart, id), objects - NAMESPACES);
  app.synth();
  return outdir;
}

async function onPlane(assets: string, use: (kubeconfig: string, plane: ControlPlane) => Promise<void>): Promise<void> {
  // without controllers: Deployments would become pods while time is taken
  const plane = await ControlPlane.start({ assets, controllers: false });
  try {
    await use(plane.writeKubeconfig(), plane);
  } finally {
    await plane.stop();
  }
}

function cli(command: string, dist: string, kubeconfig: string): string[] {
  return [join(compiledCli(), 'bin', 'cdk8s-harvester'), command, dist, '--context', 'all=test', '--kubeconfig', kubeconfig];
}

async function requestsOfPlan(dist: string, plane: ControlPlane, folder: string): Promise<number> {
  const proxy = await FaultProxy.start(plane);
  try {
    const kubeconfig = join(folder, 'through-proxy');
    const ca = Buffer.from(proxy.ca).toString('base64');
    writeFileSync(kubeconfig, JSON.stringify({
      'apiVersion': 'v1',
      'kind': 'Config',
      'clusters': [{ name: 'test', cluster: { 'server': proxy.url, 'certificate-authority-data': ca } }],
      'users': [{ name: 'test', user: { token: plane.token } }],
      'contexts': [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      'current-context': 'test',
    }), { mode: 0o600 });
    await run(process.execPath, cli('plan', dist, kubeconfig), folder);
    return proxy.requests.length;
  } finally {
    await proxy.close();
  }
}

/** Time and memory of a process that must succeed. */
async function run(program: string, args: readonly string[], folder: string): Promise<{ ms: number; megabytes: number }> {
  const memory = join(folder, 'memory');
  const hook = join(folder, 'hook.js');
  writeFileSync(hook, 'process.on("exit", () => require("fs").writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS)));');
  const start = performance.now();
  const node = program === process.execPath;
  const child = spawn(program, node ? ['--require', hook, ...args] : args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, BENCH_MEMORY: memory } });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => { stderr += chunk.toString('utf8'); });
  const code = await new Promise((resolve) => { child.on('close', resolve); });
  if (code !== 0) { throw new Error(`${program} ${args.join(' ')}: exit code ${String(code)}\n${stderr}`); }
  return { ms: performance.now() - start, megabytes: node ? Math.round(Number(readFileSync(memory, 'utf8')) / 1024) : 0 };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
