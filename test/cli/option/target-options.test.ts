import { Command } from 'commander';
import { TargetFlags, bindByFlags, withTargetOptions } from '../../../src/cli/option/run-options';
import { AssemblyTarget } from '../../../src/core/output/assembly';

const RANCHER: AssemblyTarget = {
  name: 'rancher',
  kind: 'rancher',
  version: '2.13.8',
  folder: 'rancher',
  construct: 'rancher',
  properties: {},
};

function flags(...args: string[]): TargetFlags {
  return withTargetOptions(new Command('plan').exitOverride()).parse(args, { from: 'user' }).opts();
}

test('repeats options, and allows commands of a kubeconfig by default', () => {
  expect(flags()).toMatchObject({
    context: [],
    insecureSkipTlsVerify: [],
    acceptNewCluster: [],
    exec: true,
  });
  expect(
    flags('--context', 'a=b', '--context', 'c=d', '--no-exec', '--accept-version-skew'),
  ).toMatchObject({ context: ['a=b', 'c=d'], exec: false, acceptVersionSkew: true });
});

test.each([
  [
    ['--context', 'prod'],
    '--context: must be <target>=<context>, e.g. rancher=prod-rancher, got "prod"',
  ],
  [['--context', '=prod'], 'must be <target>=<context>, e.g. rancher=prod-rancher, got "=prod"'],
  [
    ['--context', 'rancher='],
    'must be <target>=<context>, e.g. rancher=prod-rancher, got "rancher="',
  ],
  [
    ['--context', 'rancher=a', '--context', 'rancher=b'],
    '--context: must name one context for target rancher, got a and b',
  ],
  [
    ['--kubeconfig', '/no/such/file'],
    'target rancher: /no/such/file: does not exist. Fix: set the kubeconfig that contains the contexts',
  ],
  [['--config', '/no/such/file'], '/no/such/file: ENOENT'],
  [['--context', 'typo=a', '--kubeconfig', '/dev/null'], 'typo: must be a target: rancher'],
])('refuses %j', async (args, message) => {
  await expect(bindByFlags([RANCHER], flags(...args))).rejects.toThrow(message);
});
