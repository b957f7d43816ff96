import { readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { LiveObject } from '../../../src/engine/cluster/cluster';
import { readinessOf } from '../../../src/engine/ready/wait-ready';

const FOLDER = join(__dirname, '..', '..', 'recordings');

/** One scenario; objects that the server refused have no states. */
interface Recording {
  readonly scenario: string;
  readonly objects: readonly { readonly object: string; readonly states: readonly { readonly object: LiveObject }[] }[];
}

const FILES = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));

const recorded = (file: string): Recording => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Recording;

const named = (...names: string[]): RegExp => new RegExp(`/(${names.join('|')})$`);

/**
 * The verdicts on the states of an object, in their order, the same ones in a row once. All that is not named here is ready at once.
 */
const VERDICTS: { readonly [files: string]: readonly (readonly [objects: RegExp, verdicts: string])[] } = {
  'harvester-platform': [
    [/^v1\/Secret\/.*-token$/, 'waiting, ready'],
    [/KeyPair|IPPool/, 'waiting, ready'],
    // no controller of theirs was there
    [/\/ClusterNetwork\/|\/VirtualMachine\//, 'waiting'],
    [/VirtualMachineImage/, 'waiting, failing'],
  ],
  'harvester-settings-set': [
    // what they need was not there
    [named('additional-ca', 'auto-disk-provision-paths', 'containerd-registry', 'http-proxy'), 'waiting, failing'],
    [named(
      'additional-guest-memory-overhead-ratio', 'auto-rotate-rke2-certs', 'kubeconfig-default-token-ttl-minutes', 'kubevirt-migration', 'log-level',
      'longhorn-v2-data-engine-enabled', 'max-hotplug-ratio', 'ntp-servers', 'overcommit-config', 'ssl-parameters', 'vip-pools',
    ), 'waiting, ready'],
  ],
  'harvester-settings-reset': [
    // unexpected end of JSON input
    [named('auto-rotate-rke2-certs', 'vip-pools'), 'waiting, failing'],
    [named(
      'additional-guest-memory-overhead-ratio', 'kubeconfig-default-token-ttl-minutes', 'kubevirt-migration', 'log-level',
      'longhorn-v2-data-engine-enabled', 'max-hotplug-ratio', 'ntp-servers', 'overcommit-config', 'ssl-parameters',
    ), 'waiting, ready'],
  ],
  'rancher-.*': [
    // no agent ever connected
    [/^provisioning\.cattle\.io\/v1\/Cluster\//, 'waiting'],
    // those without a creator never get InitialRolesPopulated
    [/\/Project\//, 'waiting, ready'],
  ],
};

function expectedOf(file: string, object: string): string {
  const [, rows = []] = Object.entries(VERDICTS).find(([name]) => new RegExp(`^${name}\\.json$`).test(file)) ?? [];
  return rows.find(([objects]) => objects.test(object))?.[1] ?? 'ready';
}

test.each(FILES)('judges every state of %s as its server meant it', (file) => {
  const seen = recorded(file).objects.filter(({ states }) => states.length > 0);
  expect(seen.length).toBeGreaterThan(0);
  const verdicts = seen.map(({ object, states }) => {
    const all = states.map(({ object: live }) => readinessOf(live, { harvesterVersion: '1.7.2' }).state);
    return [object, all.filter((state, index) => state !== all[index - 1]).join(', ')];
  });
  expect(Object.fromEntries(verdicts)).toEqual(Object.fromEntries(seen.map(({ object }) => [object, expectedOf(file, object)])));
});

test('repeats the words of a failing setting', () => {
  const { states } = recorded('harvester-settings-reset.json').objects.find(({ object }) => object.endsWith('/vip-pools'))!;
  expect(readinessOf(states[states.length - 1]!.object, { harvesterVersion: '1.7.2' }).why).toBe('unexpected end of JSON input');
});
