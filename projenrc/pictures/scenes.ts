import { spawnSync } from 'child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'fs';
import { tmpdir } from 'os';
import { join } from 'path';
import { Clusters, platform } from './platform';
import { printed } from './printed';
import { Manifest } from '../../src/core/manifest/manifest';
import * as bind from '../../src/engine/auth/bind-targets';
import { findPlatform, graphReport } from '../../src/report/graph/page/graph-report';
import { FakeCluster, fakeTargets } from '../../test/support/fake-cluster';

/** A picture of the documentation: what a command prints about an edit of the reference stack. */
export interface Scene {
  /** The name of its file, without the extension. */
  readonly name: string;
  /** What it shows, for readers who do not see it. */
  readonly title: string;
  readonly args: readonly string[];
  /** Changes of the output folder `dist`; the previous output is in `main/dist`. */
  readonly edits?: readonly Edit[];
  /**
   * What happened on the clusters after the previous output was applied.
   * @default - the command connects to none
   */
  readonly since?: (clusters: Clusters) => void;
  /** Whether the edit is a commit on a branch. */
  readonly isCommitted?: boolean;
}

/** A text of a file of the output folder, and what it becomes. */
type Edit = readonly [file: string, from: string, to: string];

const PROVISIONING = { apiVersion: 'provisioning.cattle.io/v1', kind: 'Cluster' };

const REFERENCE_STACK = join(__dirname, '..', '..', 'examples', 'reference-stack', 'dist');

const MORE_MEMORY: Edit = [
  'rancher/38-harvesterconfig.rke-machine-config.cattle.io.yaml',
  'memorySize: "8"',
  'memorySize: "16"',
];
const MORE_MACHINES: Edit = [
  'rancher/40-cluster.provisioning.cattle.io.yaml',
  'quantity: 3',
  'quantity: 8',
];
const SMALL_QUOTA: Edit = ['dc1/10-namespace.yaml', '"limitsCpu":"32"', '"limitsCpu":"13"'];
const MORE_ADDRESSES: Edit = [
  'dc1/26-ippool.loadbalancer.harvesterhci.io.yaml',
  '10.10.100.219',
  '10.10.100.239',
];

export const SCENES: readonly Scene[] = [
  {
    name: 'impact',
    title: 'impact: an edit replaces three machines',
    args: ['impact', 'dist', '--before', 'main/dist'],
    edits: [MORE_MEMORY],
  },
  {
    name: 'fits',
    title: 'fits: eight machines need more CPUs than the quotas allow',
    args: ['fits', 'dist'],
    edits: [MORE_MACHINES],
  },
  {
    name: 'review',
    title: 'review: an edit replaces machines, for which a quota has no room',
    args: ['review', '--base', 'main', '--committed', 'dist'],
    edits: [MORE_MEMORY, SMALL_QUOTA],
    isCommitted: true,
  },
  {
    name: 'plan',
    title: 'plan: what apply would create and change, and which machines are replaced',
    args: ['plan'],
    edits: [MORE_MEMORY, MORE_ADDRESSES],
    since: ({ dc1 }) => {
      lose(dc1, 'RoleBinding', 'payments-vms-shop', 'payments-vms');
    },
  },
  {
    name: 'status',
    title: 'status: an object that is missing, and objects that are not ready',
    args: ['status'],
    since: ({ rancher, dc1 }) => {
      lose(dc1, 'RoleBinding', 'payments-vms-shop', 'payments-vms');
      rancher.change(
        { ...PROVISIONING, name: 'shop', namespace: 'fleet-default' },
        ({ status }) => {
          Object.assign(condition(status, 'Provisioned'), {
            status: 'Unknown',
            message: 'waiting for 1 of 3 machines',
          });
        },
      );
    },
  },
  {
    name: 'doctor',
    title:
      'doctor: a cluster without connection, a registration whose token is gone, and a change by hand',
    args: ['doctor'],
    since: ({ rancher }) => {
      lose(rancher, 'Secret', 'crt-token-gitops', 'c-m-juop4lu7');
      rancher.change(
        { apiVersion: 'management.cattle.io/v3', kind: 'Cluster', name: 'c-m-juop4lu7' },
        ({ status }) => {
          Object.assign(condition(status, 'Connected'), {
            status: 'False',
            message: 'Cluster agent is not connected',
          });
        },
      );
      const project = {
        apiVersion: 'management.cattle.io/v3',
        kind: 'Project',
        metadata: { name: 'payments', namespace: 'c-m-juop4lu7' },
      };
      rancher.seed(
        { ...project, spec: { resourceQuota: { limit: { limitsCpu: '64' } } } },
        'rancher',
      );
    },
  },
];

/** A picture that a command draws itself. */
interface Drawing {
  /** The name of its file, without the extension. */
  readonly name: string;
  /** The part of the reference stack that it shows. */
  readonly of: string;
}

export const DRAWINGS: readonly Drawing[] = [{ name: 'graph', of: 'shop' }];

/** The file of a drawing. */
export function svgOfDrawing({ of }: Drawing): string {
  return `${graphReport(findPlatform(REFERENCE_STACK, { of }), 'svg')}\n`;
}

interface Condition {
  readonly type: string;
}

function condition(
  { conditions }: { readonly conditions: readonly Condition[] },
  wanted: string,
): Condition {
  return conditions.find(({ type }) => type === wanted)!;
}

/** What a terminal shows of a scene: the command and its output. */
export async function shotOf({
  args,
  edits = [],
  since,
  isCommitted = false,
}: Scene): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'cdk8s-harvester-'));
  const original = Object.getOwnPropertyDescriptor(bind, 'bindTargets')!;
  try {
    const dist = join(folder, 'dist');
    cpSync(REFERENCE_STACK, isCommitted ? dist : join(folder, 'main', 'dist'), { recursive: true });
    if (isCommitted) {
      commit(folder, 'Add the reference stack', 'main');
    } else {
      cpSync(REFERENCE_STACK, dist, { recursive: true });
    }
    for (const [file, from, to] of edits) {
      edit(join(dist, file), from, to);
    }
    if (isCommitted) {
      commit(folder, 'Give the shop more memory', 'edit');
    }
    if (since) {
      const clusters = platform();
      const bindTargets: typeof bind.bindTargets = async (targets) => ({
        targets: fakeTargets(
          { ...clusters },
          Object.fromEntries(targets.map((target) => [target.name, target])),
        ),
        close: () => {},
      });
      Object.defineProperty(bind, 'bindTargets', { configurable: true, value: bindTargets });
      const applied = await printed(['apply', join('main', 'dist')], folder);
      if (!applied.includes('32 done')) {
        throw new Error(`the example must apply to the platform of the pictures, got:\n${applied}`);
      }
      since(clusters);
    }
    const output = await printed(args, folder);
    // commits have another hash after each change of the example
    return `${command(args)}\n${output.replace(/^(base {4}|change {2})[0-9a-f]{9}/gm, '$1c0ffee123')}`;
  } finally {
    Object.defineProperty(bind, 'bindTargets', original);
    rmSync(folder, { recursive: true });
  }
}

function command(args: readonly string[]): string {
  return `\u001b[2m$\u001b[22m npx cdk8s-harvester ${args.join(' ')}\n`;
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) {
    throw new Error(`${file}: must contain ${from}. Fix: change the edit of the picture`);
  }
  writeFileSync(file, text.replace(from, to));
}

/** Commits all files of a folder to a branch, without the configuration of the user. */
function commit(folder: string, subject: string, branch: string): void {
  const git = (...args: readonly string[]): void => {
    const person = {
      GIT_AUTHOR_NAME: 'Ana',
      GIT_AUTHOR_EMAIL: 'ana@example.com',
      GIT_COMMITTER_NAME: 'Ana',
      GIT_COMMITTER_EMAIL: 'ana@example.com',
    };
    const env = {
      ...process.env,
      ...person,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
    };
    const { status, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8', env });
    if (status !== 0) {
      throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
    }
  };
  git('init', '--quiet');
  git('checkout', '--quiet', '-b', branch);
  git('add', '--all');
  git('commit', '--quiet', '--message', subject);
}

/** Deletes an object as someone else. */
function lose(cluster: FakeCluster, kind: string, name: string, namespace: string): void {
  const isNamed = ({ metadata }: Manifest): boolean =>
    metadata.name === name && metadata.namespace === namespace;
  const [key] =
    [...cluster.objects].find(([, object]) => object.kind === kind && isNamed(object)) ?? [];
  if (key === undefined) {
    throw new Error(
      `the example must declare ${kind} ${namespace}/${name}. Fix: change the scene of the picture`,
    );
  }
  cluster.objects.delete(key);
}
