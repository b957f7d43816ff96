import { writeFileSync } from 'fs';
import { join } from 'path';
import { kubeconfigFiles } from './kubeconfigs';
import { tempFolder } from '../../support/temp';

test('fails with both variables where no kubeconfig is set', () => {
  expect(() => kubeconfigFiles({})).toThrow(
    /did not run:\nLIVE_RANCHER_KUBECONFIG: .*\nLIVE_HARVESTER_KUBECONFIG: /,
  );
});

test('fails for a file that does not exist, or has no current context', () => {
  const file = join(tempFolder(), 'kubeconfig');
  writeFileSync(file, 'apiVersion: v1\nkind: Config\n');
  const env = { LIVE_RANCHER_KUBECONFIG: '/none', LIVE_HARVESTER_KUBECONFIG: file };
  expect(() => kubeconfigFiles(env)).toThrow(
    /got \/none, which is not a file\n.* no current-context/,
  );
});

test('returns the files with their contexts', () => {
  const file = join(tempFolder(), 'kubeconfig');
  writeFileSync(file, 'current-context: lab\n');
  const env = { LIVE_RANCHER_KUBECONFIG: file, LIVE_HARVESTER_KUBECONFIG: file };
  expect(kubeconfigFiles(env).get('rancher')).toEqual({ kubeconfig: file, context: 'lab' });
});

test('asks for a guest cluster only where a scenario needs one', () => {
  const file = join(tempFolder(), 'kubeconfig');
  writeFileSync(file, 'current-context: lab\n');
  const env = { LIVE_RANCHER_KUBECONFIG: file, LIVE_HARVESTER_KUBECONFIG: file };
  expect(() => kubeconfigFiles(env, ['rancher', 'harvester', 'guest'])).toThrow(
    /LIVE_GUEST_KUBECONFIG: must be the path of a kubeconfig, got nothing/,
  );
});
