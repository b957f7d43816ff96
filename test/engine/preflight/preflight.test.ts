import { ApiError } from '../../../src/engine/transport/api';
import { FakeIdentity, FakeRule, withRights } from '../../support/fake-rights';
import { SmallProgram } from '../graph/_assemblies';
import { Trial, writes } from '../run/_running';

/** What the tool needs for itself. */
const BOOKS: readonly FakeRule[] = [
  {
    namespace: 'kube-system',
    verbs: ['get', 'patch', 'create', 'delete'],
    resources: ['configmaps'],
    names: ['cdk8s-harvester-default'],
  },
  {
    namespace: 'kube-system',
    verbs: ['get', 'patch', 'create', 'delete'],
    group: 'coordination.k8s.io',
    resources: ['leases'],
    names: ['cdk8s-harvester-default'],
  },
];

const ALL: FakeIdentity = { rules: [{ verbs: ['*'], group: '*', resources: ['*'] }] };

function trial(program: SmallProgram, identities: { [target: string]: FakeIdentity }): Trial {
  const made = new Trial(program);
  for (const [target, identity] of Object.entries(identities)) {
    withRights(made.clusters[target], identity);
  }
  return made;
}

function small(...names: string[]): SmallProgram {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  for (const name of names) {
    program.object('dc1', 'v1', 'ConfigMap', `team/${name}`, { data: { x: '1' } });
  }
  return program;
}

const reviews = (made: Trial, target: string): string[] => made.clusters[target].did('review');

const refusal = async (made: Trial, run: Promise<unknown> = made.apply()): Promise<string> =>
  run.then(
    () => {
      throw new Error('it was not refused');
    },
    (error: Error) => error.message,
  );

test('an administrator costs one question on each cluster', async () => {
  const made = trial(small('a', 'b'), { rancher: ALL, dc1: ALL });
  expect(await made.apply()).toMatchObject({ failed: [] });
  expect(reviews(made, 'dc1')).toEqual(['SelfSubjectAccessReview']);
  expect(made.clusters.dc1.calls.find(({ verb }) => verb === 'review')?.body).toEqual({
    resourceAttributes: { verb: '*', group: '*', resource: '*' },
  });
});

test('reports all missing permissions on all clusters at once, and writes nothing', async () => {
  const program = small('a', 'b');
  program.object('dc1', 'v1', 'Namespace', 'shop');
  program.object('rancher', 'management.cattle.io/v3', 'User', 'u-ana');
  const made = trial(program, {
    rancher: { rules: BOOKS },
    dc1: { rules: [...BOOKS, { namespace: 'team', verbs: ['get'], resources: ['configmaps'] }] },
  });
  expect(await refusal(made)).toBe(
    [
      'missing permissions; nothing was written',
      '  rancher (context rancher): get, patch, create users.management.cattle.io u-ana',
      '  dc1 (context dc1): get, patch, create namespaces shop',
      '  dc1 (context dc1): patch, create configmaps a, b in namespace team',
      'Fix: have an administrator apply the output of `cdk8s-harvester rbac`; or set --no-preflight to skip this check, e.g. if permissions are granted during the run',
    ].join('\n'),
  );
  for (const cluster of Object.values(made.clusters)) {
    expect([...cluster.objects.keys()]).toEqual([]);
  }
});

test('finds permissions by name in the rules of their namespace, with few requests', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `map-${index}`);
  const made = trial(small(...names), {
    rancher: ALL,
    dc1: {
      rules: [
        ...BOOKS,
        { namespace: 'team', verbs: ['get', 'patch', 'create'], resources: ['configmaps'], names },
      ],
    },
  });
  expect(await made.apply()).toMatchObject({ failed: [] });
  expect(reviews(made, 'dc1')).toEqual([
    'SelfSubjectAccessReview',
    'SelfSubjectRulesReview',
    'SelfSubjectRulesReview',
    'SelfSubjectRulesReview',
  ]);
});

test('where a server lists no rules it is asked for all of a kind, and by name last', async () => {
  const rules = [
    ...BOOKS,
    { verbs: ['get'], resources: ['configmaps'] },
    { namespace: 'team', verbs: ['patch', 'create'], resources: ['configmaps'], names: ['a'] },
  ];
  const made = trial(small('a', 'b'), { rancher: ALL, dc1: { rules, listsRules: false } });
  expect(await refusal(made)).toContain(
    '\n  dc1 (context dc1): patch, create configmaps b in namespace team\n',
  );
  const asked = made.clusters.dc1.calls
    .filter(({ what }) => what === 'SelfSubjectAccessReview')
    .map(
      ({
        body: {
          resourceAttributes: { verb, name },
        },
      }) => `${verb} ${name ?? '*'}`,
    );
  // get is allowed on all of them
  expect(asked.filter((text) => text.startsWith('get'))).toEqual(['get *']);
});

test.each(['forbidden', 'not-found', 'blocked'] as const)(
  'a server that does not answer such questions (%s) is left to refuse by itself',
  async (failure) => {
    const made = trial(small('a'), { rancher: ALL });
    made.clusters.dc1.fault = ({ verb }) =>
      verb === 'review' ? new ApiError(failure, 'no such question') : undefined;
    expect(await made.apply()).toMatchObject({ failed: [] });
  },
);

test('a server that is away ends it before anything is written', async () => {
  const made = trial(small('a'), { rancher: ALL });
  made.clusters.dc1.fault = ({ verb }) =>
    verb === 'review' ? new ApiError('transient', 'away') : undefined;
  expect(await refusal(made)).toBe('away');
  expect(writes(made.clusters.dc1)).toEqual([]);
});

test('--no-preflight asks nothing', async () => {
  const made = trial(small('a'), { rancher: { rules: [] }, dc1: { rules: [] } });
  expect(await made.apply({ preflight: false })).toMatchObject({ failed: [] });
  expect(reviews(made, 'dc1')).toEqual([]);
});

test('needs no permission to create for a live object, and none to write for an unchanged one', async () => {
  const made = new Trial(small('a', 'b'));
  await made.apply();
  withRights(made.clusters.dc1, {
    rules: [...BOOKS, { namespace: 'team', verbs: ['get'], resources: ['configmaps'] }],
  });
  expect(await made.apply()).toMatchObject({ failed: [] });
  made.clusters.dc1.change(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team', name: 'a' },
    (live) => {
      live.data.x = '2';
    },
  );
  expect(await refusal(made)).toContain(
    '\n  dc1 (context dc1): patch configmaps a in namespace team\n',
  );
});

test('needs permission to delete what is pruned, and none with --no-prune', async () => {
  const made = new Trial(small('a', 'b'));
  await made.apply();
  made.declared = small('a');
  withRights(made.clusters.dc1, {
    rules: [
      ...BOOKS,
      { namespace: 'team', verbs: ['get', 'patch', 'create'], resources: ['configmaps'] },
    ],
  });
  expect(await refusal(made)).toContain(
    '\n  dc1 (context dc1): delete configmaps b in namespace team\n',
  );
  expect(await made.apply({ prune: false })).toMatchObject({ failed: [] });
});

test('requires the permissions of destroy before it asks for confirmation', async () => {
  const made = new Trial(small('a', 'b'));
  await made.apply();
  withRights(made.clusters.dc1, {
    rules: [...BOOKS, { namespace: 'team', verbs: ['get'], resources: ['configmaps'] }],
  });
  const confirm = jest.fn(async () => true);
  expect(await refusal(made, made.destroy({ confirm }))).toContain(
    '\n  dc1 (context dc1): delete configmaps a, b in namespace team\n',
  );
  expect(confirm).not.toHaveBeenCalled();
  withRights(made.clusters.dc1, {
    rules: [...BOOKS, { namespace: 'team', verbs: ['get', 'delete'], resources: ['configmaps'] }],
  });
  expect(await made.destroy()).toMatchObject({ failed: [] });
});

test('expects permissions of a namespace that this run creates, but not of a live one', async () => {
  const program = small('a');
  program.object('dc1', 'v1', 'Namespace', 'team');
  const made = trial(program, {
    rancher: ALL,
    dc1: { rules: [...BOOKS, { verbs: ['get', 'patch', 'create'], resources: ['namespaces'] }] },
  });
  expect(await made.apply()).toMatchObject({ failed: [] });
  const later = trial(program, {
    rancher: ALL,
    dc1: { rules: [...BOOKS, { verbs: ['get', 'patch', 'create'], resources: ['namespaces'] }] },
  });
  later.clusters.dc1.seed({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  expect(await refusal(later)).toContain(
    '\n  dc1 (context dc1): get, patch, create configmaps a in namespace team\n',
  );
});

test('a Role in a namespace is enough for that Namespace', async () => {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('dc1', 'v1', 'Namespace', 'team');
  const made = trial(program, {
    rancher: ALL,
    dc1: {
      rules: [
        ...BOOKS,
        { namespace: 'team', verbs: ['get', 'patch', 'create'], resources: ['namespaces'] },
      ],
    },
  });
  expect(await made.apply()).toMatchObject({ failed: [] });
});

test('names that are late are not asked for', async () => {
  const program = small();
  program.late('ns', {
    resolver: 'field',
    target: 'rancher',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: 'default',
    name: 'source',
    path: 'data.ns',
  });
  // eslint-disable-next-line no-template-curly-in-string
  program.object('dc1', 'v1', 'Secret', '${late:ns}/s');
  const made = trial(program, { rancher: ALL, dc1: { rules: BOOKS } });
  made.clusters.rancher.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'source', namespace: 'default' },
    data: { ns: 'team' },
  });
  expect(await made.apply()).toMatchObject({ failed: [] });
});

describe('a run that grants permissions', () => {
  const bound = (subject: object): SmallProgram => {
    const program = small('a');
    program.object('dc1', 'rbac.authorization.k8s.io/v1', 'RoleBinding', 'team/ci', {
      roleRef: { name: 'edit' },
      subjects: [subject],
    });
    return program;
  };
  const rules: readonly FakeRule[] = [
    ...BOOKS,
    { verbs: ['*'], group: 'rbac.authorization.k8s.io', resources: ['*'] },
  ];
  const userInfo = {
    username: 'system:serviceaccount:ci:deploy',
    groups: ['system:serviceaccounts'],
  };

  test.each([
    ['its own account', { kind: 'ServiceAccount', namespace: 'ci', name: 'deploy' }],
    ['a group of its own', { kind: 'Group', name: 'system:serviceaccounts' }],
  ])('to %s is warned, and continues', async (_, subject) => {
    const made = trial(bound(subject), { rancher: ALL, dc1: { rules, userInfo } });
    expect(await made.apply()).toMatchObject({ failed: [] });
    expect(made.events).toContainEqual({
      type: 'warning',
      target: 'dc1',
      message:
        'a permission may be missing: dc1 (context dc1): get, patch, create configmaps a in namespace team (this run may grant it to itself)',
    });
  });

  test('to others is refused', async () => {
    const made = trial(bound({ kind: 'User', name: 'ana' }), {
      rancher: ALL,
      dc1: { rules, userInfo },
    });
    expect(await refusal(made)).toContain('configmaps a in namespace team');
  });

  test('continues where the server does not name the user', async () => {
    const made = trial(bound({ kind: 'User', name: 'ana' }), { rancher: ALL, dc1: { rules } });
    expect(await made.apply()).toMatchObject({ failed: [] });
  });

  test("is reported with Rancher's names where it connects through Rancher", async () => {
    const program = (principal: string): SmallProgram => {
      const made = small('a');
      made.object('rancher', 'management.cattle.io/v3', 'ProjectRoleTemplateBinding', 'p/m', {
        userPrincipalName: principal,
        roleTemplateName: 'project-owner',
      });
      return made;
    };
    const who = {
      username: 'u-x7k2p',
      groups: ['system:authenticated'],
      extra: { principalid: ['github_user://42'] },
    };
    expect(
      await trial(program('github_user://42'), {
        rancher: ALL,
        dc1: { rules, userInfo: who },
      }).apply(),
    ).toMatchObject({ failed: [] });
    expect(
      await trial(program('local://u-x7k2p'), {
        rancher: ALL,
        dc1: { rules, userInfo: who },
      }).apply(),
    ).toMatchObject({ failed: [] });
    expect(
      await refusal(
        trial(program('github_user://43'), { rancher: ALL, dc1: { rules, userInfo: who } }),
      ),
    ).toContain('configmaps a in namespace team');
  });
});

test("warns of what Rancher's webhook may require, which cannot be checked", async () => {
  const program = new SmallProgram().target('rancher', 'rancher').target('dc1', 'harvester');
  program.object('dc1', 'v1', 'Namespace', 'vms', {
    metadata: { annotations: { 'field.cattle.io/projectId': 'c-m-a:pay' } },
  });
  const made = trial(program, {
    rancher: ALL,
    dc1: { rules: [...BOOKS, { verbs: ['get', 'patch', 'create'], resources: ['namespaces'] }] },
  });
  expect(await made.apply()).toMatchObject({ failed: [] });
  expect(made.events).toContainEqual({
    type: 'warning',
    target: 'dc1',
    message:
      "a permission may be missing: dc1 (context dc1): manage-namespaces projects.management.cattle.io pay (Rancher's webhook may check it)",
  });
});

test('reports a forbidden lock or inventory with all other missing permissions', async () => {
  const made = trial(small('a'), { rancher: { rules: [] }, dc1: { rules: BOOKS } });
  made.clusters.rancher.fault = ({ verb, what }) =>
    verb === 'apply' && what.startsWith('Lease')
      ? new ApiError('forbidden', 'leases is forbidden', 403)
      : undefined;
  const message = await refusal(made);
  expect(message).toContain('nothing was written (leases is forbidden)');
  expect(message).toContain(
    '\n  rancher (context rancher): get, patch, create, delete leases.coordination.k8s.io cdk8s-harvester-default in namespace kube-system\n',
  );
  expect(message).toContain(
    '\n  dc1 (context dc1): get, patch, create configmaps a in namespace team\n',
  );
});
