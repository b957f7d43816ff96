import { SmallProgram } from '../graph/_assemblies';
import { Trial } from '../run/_running';

const RBAC = 'rbac.authorization.k8s.io/v1';
const ID = 'rancher/rbac.authorization.k8s.io/RoleBinding/c-1/rb-1';
const BINDING = {
  metadata: { labels: { 'c-1_crtb-ben': 'membership-binding-owner' } },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'cluster-member' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'u-ben' }],
};
const REFUSED =
  'cannot be created, since it has the label c-1_crtb-ben: membership-binding-owner: Rancher creates such objects from its roles and members';

function trialOf(binding: { [field: string]: unknown }): Trial {
  const program = new SmallProgram().target('rancher', 'rancher');
  program.object('rancher', RBAC, 'RoleBinding', 'c-1/rb-1', binding);
  return new Trial(program);
}

async function stepOf(trial: Trial) {
  return (await trial.plan()).steps.find(({ id }) => id === ID)!;
}

test('does not give back the permissions of a member whose binding Rancher deleted', async () => {
  const trial = trialOf(BINDING);
  const { rancher } = trial.clusters;
  rancher.seed(
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      ...BINDING,
      metadata: { name: 'rb-1', namespace: 'c-1', ...BINDING.metadata },
    },
    'rancher',
  );
  // it exists: an apply only becomes an owner of its fields
  await trial.apply({ acceptExisting: [ID] });
  const ref = { apiVersion: RBAC, kind: 'RoleBinding', namespace: 'c-1', name: 'rb-1' };
  const { uid } = rancher.live(RBAC, 'RoleBinding', 'rb-1', 'c-1').metadata;
  await rancher.delete(ref, uid);

  expect((await stepOf(trial)).refused).toContain(REFUSED);
  const { failed } = await trial.apply();
  expect(JSON.stringify(failed)).toContain(REFUSED);
  expect(rancher.live(RBAC, 'RoleBinding', 'rb-1', 'c-1')).toBeUndefined();
});

test('creates the bindings of users', async () => {
  const trial = trialOf({ ...BINDING, metadata: { labels: { team: 'web' } } });
  expect((await stepOf(trial)).refused).toBeUndefined();
  await trial.apply();
  expect(trial.clusters.rancher.live(RBAC, 'RoleBinding', 'rb-1', 'c-1')).toBeDefined();
});
