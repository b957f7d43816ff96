import { Command } from 'commander';
import { TargetFlags, bindByFlags, withTargetOptions } from '../../../src/cli/option/target-options';
import { AssemblyTarget } from '../../../src/core/output/assembly';

const RANCHER: AssemblyTarget = { name: 'rancher', kind: 'rancher', version: '2.13.8', folder: 'rancher', construct: 'rancher', properties: {} };

function flags(...args: string[]): TargetFlags {
  return withTargetOptions(new Command('plan').exitOverride()).parse(args, { from: 'user' }).opts();
}

test('options are repeated, and commands may not be forbidden by default', () => {
  expect(flags()).toMatchObject({ context: [], insecureSkipTlsVerify: [], acceptNewCluster: [], exec: true });
  expect(flags('--context', 'a=b', '--context', 'c=d', '--no-exec', '--allow-version-skew')).toMatchObject({ context: ['a=b', 'c=d'], exec: false, allowVersionSkew: true });
});

test.each([
  [['--context', 'prod'], '--context: got "prod", expected <target>=<context>, e.g. rancher=prod-rancher'],
  [['--context', '=prod'], '--context: got "=prod", expected <target>=<context>'],
  [['--context', 'rancher='], '--context: got "rancher=", expected <target>=<context>'],
  [['--context', 'rancher=a', '--context', 'rancher=b'], '--context: target rancher has two contexts, a and b; give one'],
  [['--kubeconfig', '/no/such/file'], 'target rancher: /no/such/file: no such file; name the kubeconfig that holds the contexts'],
  [['--config', '/no/such/file'], '/no/such/file: ENOENT'],
  [['--context', 'typo=a', '--kubeconfig', '/dev/null'], 'typo: no such target, there are rancher'],
])('%j is refused', async (args, message) => {
  await expect(bindByFlags([RANCHER], flags(...args))).rejects.toThrow(message);
});
