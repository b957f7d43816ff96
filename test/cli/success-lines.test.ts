import { join } from 'path';
import { runCli } from '../support/run-cli';
import { tempFolder } from '../support/temp';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
const DIST = join(EXAMPLES, 'quickstart', 'dist');
const GUEST = join(EXAMPLES, 'rke2-production', 'dist');

/** Commands that need no cluster, and the last line of what each prints when it is done. */
const DONE: { readonly [command: string]: readonly [args: readonly string[], last: RegExp] } = {
  show: [[DIST], /cdk8s-harvester lint /],
  lint: [[DIST], /^0 errors, \d+ warnings?/],
  graph: [[DIST], /^2 clusters, \d+ parts; 1 waits for late values$/],
  diff: [[DIST, DIST], /^room {6}/],
  impact: [[DIST, '--before', DIST], /^no guest cluster or machine changes: no machine is/],
  fits: [[DIST], /^no machine uses a quota or a device, and no load balancer a pool$/],
  access: [[DIST], /^note: view on harvester-public includes Secrets/],
  addresses: [[DIST], /^no load balancers$/],
  images: [[GUEST], /^rancher\/mirrored-longhornio-csi-snapshotter:v/],
  rbac: [
    [DIST, '--target', 'dc1', '--output-dir', join(tempFolder(), 'rbac')],
    /^wrote .*dc1\.yaml$/,
  ],
  rules: [['--output', 'json', '--output-file', join(tempFolder(), 'rules.json')], /^wrote /],
};

/**
 * Commands on clusters, folders, a secret from stdin, or the documentation of the built package;
 * their own tests read how they end.
 */
const ELSEWHERE = [
  'adopt',
  'apply',
  'deliver',
  'destroy',
  'doctor',
  'explain',
  'forget',
  'hash-password',
  'help',
  'init',
  'plan',
  'register',
  'resolve',
  'review',
  'status',
  'unlock',
];

test.each(Object.entries(DONE))('%s ends with what it did', async (command, [args, last]) => {
  const { stdout, exitCode } = await runCli(command, ...args);
  expect(exitCode).toBe(0);
  const lines = stdout.split('\n').filter((line) => line !== '');
  expect(lines.at(-1)).toMatch(last);
});

test('knows each command', async () => {
  const { stdout } = await runCli('--help');
  const commands = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) {2,}\S/gm)].map(([, name]) => name!);
  expect(commands.sort()).toEqual([...Object.keys(DONE), ...ELSEWHERE].sort());
});
