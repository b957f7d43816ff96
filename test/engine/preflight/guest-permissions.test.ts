import { writeFileSync } from 'fs';
import { join } from 'path';
import { bindTargets } from '../../../src/engine/auth/bind-targets';
import { RunProgram } from '../../../src/engine/auth/run-program';
import { explainedPlan } from '../../../src/engine/plan/program/plan-permissions';
import { applyProgram } from '../../../src/engine/run/apply-program';
import { ApiError } from '../../../src/engine/transport/api';
import { rollsByImpact } from '../../../src/report/impact/cluster-impacts';
import { FakeRule, withRights } from '../../support/fake-rights';
import { tempFolder } from '../../support/temp';
import { SmallProgram } from '../graph/_assemblies';
import { APP, Trial, writes } from '../run/_running';

const BOOKS: readonly FakeRule[] = [
  {
    namespace: 'kube-system',
    verbs: ['*'],
    resources: ['configmaps'],
    names: ['cdk8s-harvester-default'],
  },
  {
    namespace: 'kube-system',
    verbs: ['*'],
    group: 'coordination.k8s.io',
    resources: ['leases'],
    names: ['cdk8s-harvester-default'],
  },
];

const DENIED =
  'clusters.provisioning.cattle.io "shop" is forbidden: User "ci" cannot get resource "clusters"';

/** A guest cluster whose Cluster on Rancher may not be read. */
async function refusedGuest(
  rules: readonly FakeRule[] = BOOKS,
): Promise<{ trial: Trial; program: RunProgram }> {
  const small = new SmallProgram()
    .target('rancher', 'rancher')
    .target('dc1', 'harvester')
    .target('shop', 'guest', { provisioningCluster: 'fleet-default/shop', rancher: 'rancher' });
  small.object('rancher', 'v1', 'ConfigMap', 'team/a');
  small.configMap('web', 'shop');
  const trial = new Trial(small);
  withRights(trial.clusters.rancher, { rules });
  const { fault } = trial.clusters.rancher;
  trial.clusters.rancher.fault = (call) =>
    call.verb === 'read' && call.what === 'Cluster fleet-default/shop'
      ? new ApiError('forbidden', DENIED, 403, 'Forbidden')
      : fault?.(call);
  // the guest as the command binds it: by the Secret on that very Rancher
  const kubeconfig = join(tempFolder(), 'config');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'rancher', context: { cluster: 'c', user: 'u' } }],
    }),
  );
  const binding = await bindTargets(
    small.assembly.targets.filter(({ name }) => name !== 'dc1'),
    { kubeconfig, cwd: tempFolder(), env: {} },
  );
  const { targets } = trial.program;
  jest
    .spyOn(
      binding.targets.get('rancher') as unknown as { connected(): Promise<unknown> },
      'connected',
    )
    .mockImplementation(async () => ({ cluster: trial.clusters.rancher, connection: {} }));
  return {
    trial,
    program: {
      ...trial.program,
      targets: new Map([...targets, ['shop', binding.targets.get('shop')!]]),
    },
  };
}

const refusal = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: Error) => error.message,
  );

const EXPECTED = [
  `missing permissions; nothing was written (target shop (Secret fleet-default/shop-kubeconfig on rancher): rancher (context rancher): ${DENIED})`,
  '  rancher (context rancher): get, patch, create configmaps a in namespace team',
  '  rancher (context rancher): get clusters.provisioning.cattle.io shop in namespace fleet-default (needed to reach its guest clusters without their own context)',
];

test('reports an unreadable Cluster of a guest with its target and context, together with all other missing permissions', async () => {
  const { trial, program } = await refusedGuest();
  const message = await refusal(applyProgram(program, { rolls: rollsByImpact, app: APP }));
  for (const line of EXPECTED) {
    expect(message.split('\n')).toContain(line);
  }
  expect(message).toMatch(
    /\nFix: have an administrator apply the output of `cdk8s-harvester rbac`/,
  );
  expect(writes(trial.clusters.rancher)).toEqual([]);
});

test('reports the same in a plan', async () => {
  const { program } = await refusedGuest();
  const error = await program.targets
    .get('shop')!
    .cluster()
    .catch((caught: unknown) => caught);
  const told = (await explainedPlan(error, program, APP)) as Error;
  for (const line of EXPECTED) {
    expect(told.message.split('\n')).toContain(line);
  }
});

test('prints the refusal with its place and fix where nothing else is missing, or the server does not answer', async () => {
  const { trial, program } = await refusedGuest([{ verbs: ['*'], group: '*', resources: ['*'] }]);
  expect(await refusal(applyProgram(program, { rolls: rollsByImpact, app: APP }))).toMatch(
    /^missing permissions.*\(target shop \(Secret .*\): rancher \(context rancher\): clusters.*"clusters"\)\nFix: have an administrator apply the output of `cdk8s-harvester rbac`/,
  );
  trial.clusters.rancher.answers = () => {
    throw new ApiError('transient', 'away');
  };
  expect(await refusal(applyProgram(program, { rolls: rollsByImpact, app: APP }))).toMatch(
    /^missing permissions.*\(target shop .*\)\nFix: have an administrator apply the output of `cdk8s-harvester rbac`/,
  );
});

test('a guest with a context of its own is reached though its Cluster may not be read', async () => {
  const { trial, program } = await refusedGuest([{ verbs: ['*'], group: '*', resources: ['*'] }]);
  const { targets } = trial.program;
  expect(
    await applyProgram({ ...program, targets }, { rolls: rollsByImpact, app: APP }),
  ).toMatchObject({ failed: [], done: expect.arrayContaining(['shop//ConfigMap/default/web']) });
});
