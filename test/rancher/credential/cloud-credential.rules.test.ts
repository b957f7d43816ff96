import {
  CREDENTIAL_ANNOTATIONS,
  cloudConfig,
  credential,
  guest,
  kubeconfig,
  machineConfig,
  pool,
  told,
} from '../../support/guest';

const key = 'harvestercredentialConfig-';
const kubeconfigData = (text: string) => ({ [`${key}kubeconfigContent`]: text });

test('a credential as the UI writes it is fine', () => {
  expect(told([credential()])).toEqual([]);
});

test('a kubeconfig in base64 is read as the driver reads it', () => {
  expect(told([credential(kubeconfigData(Buffer.from(kubeconfig()).toString('base64')))])).toEqual(
    [],
  );
});

test('one without annotations crashes a controller, from Rancher 2.12 on', () => {
  const bare = { ...credential(), metadata: { name: 'cc-dc1', namespace: 'cattle-global-data' } };
  expect(told([bare])).toEqual([
    'error credential/annotations metadata.annotations: must be set: Rancher 2.12 and later adds one to the missing map, and its controller crashes. Fix: ' +
      'set field.cattle.io/name and provisioning.cattle.io/driver: harvester',
  ]);
  expect(told([bare], { version: '2.11.3' })).toEqual([
    expect.stringContaining('warning credential/annotations'),
  ]);
});

test('one without its creator works: Rancher repeats that in its log alone', () => {
  expect(told([credential({}, { 'provisioning.cattle.io/driver': 'harvester' })])).toEqual([]);
});

test('one without its driver is not listed', () => {
  expect(told([credential({}, { 'field.cattle.io/name': 'dc1' })])).toEqual([
    'warning credential/annotations metadata.annotations[provisioning.cattle.io/driver]: must be set: otherwise the UI does not list it, and its token may expire. Fix: write harvester',
  ]);
});

test.each([
  [
    kubeconfigData('hunter2'),
    'error credential/kubeconfig data.harvestercredentialConfig-kubeconfigContent: must be a kubeconfig (the server: "failed to unmarshal kubeconfig")',
  ],
  [
    kubeconfigData(kubeconfig('vms', 'https://localhost:6443')),
    'cannot be the server, got "https://localhost:6443": Rancher cannot reach Harvester at this address',
  ],
  [
    { [`${key}clusterId`]: '' },
    'warning credential/kubeconfig data.harvestercredentialConfig-clusterId: must be set for an imported Harvester',
  ],
  [
    { [`${key}clusterType`]: 'remote' },
    'warning credential/kubeconfig data.harvestercredentialConfig-clusterType: must be imported or external, got "remote". Fix: use one of them',
  ],
])('%j', (data, text) => {
  const findings = told([credential(data)]);
  expect(findings).toEqual([expect.stringContaining(text)]);
  expect(findings.join()).not.toMatch(/hunter2|secret-token/);
});

test('an external one needs no id', () => {
  expect(
    told([credential({ [`${key}clusterType`]: 'external', [`${key}clusterId`]: '' })]),
  ).toEqual([]);
});

test('one without a kubeconfig', () => {
  const { data, ...rest } = credential();
  const { 'harvestercredentialConfig-kubeconfigContent': _, ...others } = data as {
    [name: string]: string;
  };
  expect(told([{ ...rest, data: others } as never])).toEqual([
    expect.stringContaining('kubeconfigContent: must be set. Fix: set it to a kubeconfig'),
  ]);
});

describe('tokens of Rancher', () => {
  const token = (name: string) =>
    credential(
      kubeconfigData(
        kubeconfig(
          'vms',
          'https://rancher.example.com/k8s/clusters/c-m-abcdefgh',
          'kubeconfig-u-abcde:hunter2',
        ),
      ),
      CREDENTIAL_ANNOTATIONS,
      name,
    );
  test('expire before Rancher 2.12', () => {
    expect(told([token('cc-dc1')], { version: '2.11.3' })).toEqual([
      'warning credential/kubeconfig data.harvestercredentialConfig-kubeconfigContent: is a token of Rancher, which expires after kubeconfig-default-token-ttl-minutes, got "kubeconfig-u-abcde": ' +
        'then Rancher can neither create nor delete machines (the server: "token kubeconfig-u-abcde is expired"). Fix: use the token of a service account of the Harvester, or upgrade Rancher to 2.12',
    ]);
    expect(told([token('cc-dc1')], { version: '2.12.0' })).toEqual([]);
  });

  test('belong to one credential', () => {
    const findings = told([token('cc-dc1'), token('cc-dc2')]);
    expect(findings).toEqual([
      expect.stringContaining(
        'cannot have the token of Secret cc-dc2 (the server: "token kubeconfig-u-abcde is already in use by secret cc-dc2")',
      ),
      expect.stringContaining('cannot have the token of Secret cc-dc1'),
    ]);
    expect(findings.join()).not.toContain('hunter2');
  });
});

describe('the credential of a Cluster', () => {
  const others = [machineConfig(), cloudConfig(), credential()];
  const one = (spec: object, rkeConfig: object = {}) => told([...others, guest(rkeConfig, spec)]);
  test.each([
    [
      { cloudCredentialSecretName: undefined },
      {},
      'error cluster/cloud-credential spec.cloudCredentialSecretName: must be set: without it Rancher cannot reach Harvester. Fix: write cattle-global-data:<name of the credential>',
    ],
    [
      { cloudCredentialSecretName: undefined },
      { machinePools: [pool({ cloudCredentialSecretName: 'cattle-global-data:cc-dc1' })] },
      'warning cluster/cloud-credential spec.cloudCredentialSecretName: must name a credential in cattle-global-data: otherwise deleting the cluster leaves the volumes of its machines on Harvester',
    ],
    [
      { cloudCredentialSecretName: 'cattle-global-data:cc-nobody' },
      {},
      'warning cluster/cloud-credential spec.cloudCredentialSecretName: must be a known credential in cattle-global-data, got "cattle-global-data:cc-nobody" (the server: "secrets "cc-nobody" not found")',
    ],
    [
      {},
      { machinePools: [pool({ cloudCredentialSecretName: 'other:cc-dc1' })] },
      'can name no Secret, got "other:cc-dc1"',
    ],
  ])('%j %j', (spec, rkeConfig, text) => {
    expect(one(spec, rkeConfig)).toEqual([expect.stringContaining(text)]);
  });

  test('is not deleted while it is used', () => {
    expect(
      told([machineConfig(), cloudConfig(), guest()], { before: [...others, guest()] }),
    ).toEqual([
      'error credential/deleted-in-use : cannot be deleted: Cluster shop creates and deletes its machines with it ' +
        '(the server: "Cloud credential is currently referenced by provisioning cluster shop"). Fix: keep it, or set another credential of the Cluster first',
    ]);
    // lint reports that as output/deleted-together; apply deletes the Cluster first
    expect(told([], { before: [...others, guest()] })).toEqual([]);
    expect(told([], { before: [credential()] })).toEqual([]);
  });
});
