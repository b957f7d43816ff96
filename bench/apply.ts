import { execFileSync, spawn } from 'child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { availableParallelism, tmpdir } from 'os';
import { join } from 'path';
import { ApiObject, Chart } from 'cdk8s';
import { Delay } from './delay';
import { SHAPES } from './shapes';
import { ControlPlane } from '../test/cluster/control-plane';
import { compiledCli } from '../test/cluster/doubles/cli-process';
import { FaultProxy } from '../test/support/fault-proxy';
import { GuestChart, HarvesterApp, OutputLayout } from 'cdk8s-harvester';

const ROOT = join(__dirname, '..');
const NAMESPACES = 50;

/** How long each way takes. */
const DELAY_MS = 10;

/** Times in milliseconds of whole processes, medians of all rounds. */
interface Times {
  readonly ours: number;
  readonly kubectl: number;
  readonly oursAgain: number;
  readonly kubectlAgain: number;
}

/** Figures of apply, compared with kubectl on the same machine. */
export interface ApplyFigures {
  readonly objects: number;
  readonly here: Times;
  /** Over a network that takes some time. */
  readonly far: Times;
  /**
   * CPU time of the servers during kubectl's first apply, in milliseconds on all processors;
   * undefined if the system does not report it.
   */
  readonly serverMs?: number;
  /** Of an apply and a plan without a change. */
  readonly applyRequests: number;
  readonly planRequests: number;
  /** Of an apply of five times as many. */
  readonly largeObjects: number;
  readonly largeMegabytes: number;
}

/** Undefined where this machine cannot have a control plane. */
export async function applyFigures(
  objects = 1_000,
  largeObjects = 5_000,
): Promise<ApplyFigures | undefined> {
  let assets: string;
  try {
    assets = execFileSync(process.execPath, [join(ROOT, 'test', 'cluster', 'build.js')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }).trim();
  } catch {
    return undefined;
  }
  // servers in the background do not keep a process alive that waits for nothing but their end
  const alive = setInterval(() => undefined, 60_000);
  const folder = mkdtempSync(join(tmpdir(), 'bench-apply-'));
  try {
    return await new ApplyBench(assets, folder).figures(objects, largeObjects);
  } finally {
    clearInterval(alive);
    rmSync(folder, { recursive: true });
  }
}

class ApplyBench {
  private serverMs?: number;

  public constructor(
    private readonly assets: string,
    private readonly folder: string,
  ) {}

  public async figures(objects: number, largeObjects: number): Promise<ApplyFigures> {
    const dist = synthesize(this.folder, objects);
    const here = await this.times(dist, 3);
    const { serverMs } = this;
    const far = await this.times(dist, 1, DELAY_MS);
    const { applyRequests, planRequests } = await this.requests(dist);
    const large = synthesize(this.folder, largeObjects);
    const largeMegabytes = await this.onPlane(
      0,
      async (kubeconfig) =>
        (await this.run(process.execPath, cli('apply', large, kubeconfig))).megabytes,
    );
    return {
      objects,
      here,
      far,
      ...(serverMs === undefined ? {} : { serverMs }),
      applyRequests,
      planRequests,
      largeObjects,
      largeMegabytes,
    };
  }

  /** In turn, each on a control plane of its own: a fuller etcd is a slower one. */
  private async times(dist: string, rounds: number, delayMs = 0): Promise<Times> {
    const times = {
      ours: [] as number[],
      kubectl: [] as number[],
      oursAgain: [] as number[],
      kubectlAgain: [] as number[],
    };
    for (let round = 0; round < rounds; round++) {
      await this.onPlane(delayMs, async (kubeconfig) => {
        const apply = async (): Promise<number> =>
          (await this.run(process.execPath, cli('apply', dist, kubeconfig))).ms;
        times.ours.push(await apply());
        times.oursAgain.push(await apply());
      });
      await this.onPlane(delayMs, async (kubeconfig, plane) => {
        const args = [
          '--kubeconfig',
          kubeconfig,
          'apply',
          '--server-side',
          '-R',
          '-f',
          join(dist, 'all'),
        ];
        const apply = async (): Promise<number> =>
          (await this.run(join(this.assets, 'kubectl'), args)).ms;
        const before = plane.cpuMs;
        times.kubectl.push(await apply());
        const after = plane.cpuMs;
        this.serverMs =
          before === undefined || after === undefined
            ? undefined
            : (after - before) / availableParallelism();
        times.kubectlAgain.push(await apply());
      });
    }
    return {
      ours: median(times.ours),
      kubectl: median(times.kubectl),
      oursAgain: median(times.oursAgain),
      kubectlAgain: median(times.kubectlAgain),
    };
  }

  private async requests(
    dist: string,
  ): Promise<Pick<ApplyFigures, 'applyRequests' | 'planRequests'>> {
    return this.onPlane(0, async (_, plane) => {
      const proxy = await FaultProxy.start(plane);
      try {
        const kubeconfig = writeKubeconfig(
          join(this.folder, 'through-proxy'),
          proxy.url,
          proxy.ca,
          plane.token,
        );
        const count = async (command: string): Promise<number> => {
          const before = proxy.requests.length;
          await this.run(process.execPath, cli(command, dist, kubeconfig));
          return proxy.requests.length - before;
        };
        return { applyRequests: await count('apply'), planRequests: await count('plan') };
      } finally {
        await proxy.close();
      }
    });
  }

  private async onPlane<T>(
    delayMs: number,
    use: (kubeconfig: string, plane: ControlPlane) => Promise<T>,
  ): Promise<T> {
    // without controllers: Deployments would become pods while time is taken
    const plane = await ControlPlane.start({ assets: this.assets, controllers: false });
    const delay = delayMs > 0 ? await Delay.start(new URL(plane.url), delayMs) : undefined;
    try {
      return await use(
        writeKubeconfig(
          join(this.folder, 'kubeconfig'),
          delay?.url ?? plane.url,
          plane.ca,
          plane.token,
        ),
        plane,
      );
    } finally {
      await delay?.close();
      await plane.stop();
    }
  }

  /** Time and memory of a process that must succeed. */
  private async run(
    program: string,
    args: readonly string[],
  ): Promise<{ ms: number; megabytes: number }> {
    const memory = join(this.folder, 'memory');
    const hook = join(this.folder, 'hook.js');
    writeFileSync(
      hook,
      'process.on("exit", () => require("fs").writeFileSync(process.env.BENCH_MEMORY, String(process.resourceUsage().maxRSS)));',
    );
    const start = performance.now();
    const node = program === process.execPath;
    const env = { ...process.env, BENCH_MEMORY: memory };
    const child = spawn(program, node ? ['--require', hook, ...args] : args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    const code = await new Promise((resolve) => {
      child.on('close', resolve);
    });
    if (code !== 0) {
      throw new Error(`${program} ${args.join(' ')}: exit code ${String(code)}\n${stderr}`);
    }
    return {
      ms: performance.now() - start,
      megabytes: node ? Math.round(Number(readFileSync(memory, 'utf8')) / 1024) : 0,
    };
  }
}

/** The part of kubectl's time that an apply takes at most. */
const GOAL = 0.2;

/** The section of bench/speed.md. */
export function applySection(figures: ApplyFigures | undefined): string {
  if (!figures) {
    return '\n## Apply\n\nNot measured: this machine has no control plane for tests.\n';
  }
  const {
    objects,
    here,
    far,
    serverMs,
    applyRequests,
    planRequests,
    largeObjects,
    largeMegabytes,
  } = figures;
  const part = (ours: number, kubectl: number): string =>
    `${(ours / kubectl).toFixed(2)}${ours / kubectl > GOAL ? ' (goal missed)' : ''}`;
  const row = (name: string, { ours, kubectl, oursAgain, kubectlAgain }: Times): string =>
    `| ${name} | ${part(ours, kubectl)} | ${part(oursAgain, kubectlAgain)} |`;
  const least =
    serverMs === undefined
      ? ''
      : `
The servers alone need ${(serverMs / here.kubectl).toFixed(2)} of kubectl's time for the first apply, with all ${availableParallelism()} processors of the machine:
no client on the same machine is faster than that.
`;
  return `
## Apply

This section compares \`apply\` with \`kubectl apply --server-side\` of the same files, from the same Go module as the API server, as whole processes including
their start. \`apply\` also maintains the inventory and the lock. kubectl writes one object after the other; \`apply\` writes eight at a time, and only those that differ.

Goals: at most ${GOAL.toFixed(2)} of kubectl's time, and at most one request per object for a plan without changes.

| ${objects.toLocaleString('en')} objects, apply / kubectl | first apply | second apply, without changes |
|---|---|---|
${row('server on the same machine', here)}
${row(`server with a round trip of ${2 * DELAY_MS} ms`, far)}
${least}
The first apply takes ${(applyRequests / objects).toFixed(2)} requests per object, and a plan without changes ${(planRequests / objects).toFixed(2)}, including all other requests.
An apply of ${largeObjects.toLocaleString('en')} objects takes at most ${largeMegabytes} MB of memory.
`;
}

function synthesize(folder: string, objects: number): string {
  const outdir = join(folder, `dist-${objects}`);
  const app = new HarvesterApp({
    outdir,
    layout: OutputLayout.FILE_PER_KIND,
    printWarnings: false,
  });
  const chart = new GuestChart(app, 'all', { version: 'v1.34.4+rke2r1' });
  for (let n = 0; n < NAMESPACES; n++) {
    new ApiObject(chart, `team-${n}`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `team-${n}` },
    });
  }
  SHAPES[0].fill((id) => new Chart(chart, id), objects - NAMESPACES);
  app.synth();
  return outdir;
}

function writeKubeconfig(file: string, server: string, ca: string, token: string): string {
  writeFileSync(
    file,
    JSON.stringify({
      'apiVersion': 'v1',
      'kind': 'Config',
      'clusters': [
        {
          name: 'test',
          cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
        },
      ],
      'users': [{ name: 'test', user: { token } }],
      'contexts': [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      'current-context': 'test',
    }),
    { mode: 0o600 },
  );
  return file;
}

function cli(command: string, dist: string, kubeconfig: string): string[] {
  return [
    join(compiledCli(), 'bin', 'cdk8s-harvester'),
    command,
    dist,
    '--context',
    'all=test',
    '--kubeconfig',
    kubeconfig,
  ];
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
