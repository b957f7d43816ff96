import { Manifest, objectId } from '../../../src/core/manifest/manifest';
import { Assembly } from '../../../src/core/output/assembly';
import { impactOf } from '../../../src/report/impact/cluster-impacts';
import { Effect, Impact, ImpactSide, mayLoseMachines } from '../../../src/report/impact/impact';
import { impactReport, impactSummary } from '../../../src/report/impact/print-impact';
import {
  DISKS,
  cloudConfig,
  credential,
  guest,
  kubeconfig,
  machineConfig,
  pool,
} from '../../support/guest';
import { shown } from '../../support/shown';

const side = (manifests: readonly Manifest[], assemblies: readonly Assembly[] = []) =>
  new ImpactSide(
    manifests.map((manifest) => ({ manifest, target: { name: 'rancher' } })),
    assemblies,
  );
const compare = (before: readonly Manifest[], after: readonly Manifest[]): Impact[] =>
  impactOf({ before: side(before), after: side(after) });
const brief = (impacts: readonly Impact[]) =>
  impacts.map(({ effect, pool: name, machines, causes }) =>
    [effect, name, machines, causes.map(({ path }) => path).join()]
      .filter((part) => part !== undefined)
      .join(' '),
  );
const all = (
  config: object = {},
  rkeConfig: object = {},
  spec: object = {},
  metadata: object = {},
) => [machineConfig(config), cloudConfig(), credential(), guest(rkeConfig, spec, metadata)];
const edit = (config: object, rkeConfig: object = {}, spec: object = {}, metadata: object = {}) =>
  compare(all(), all(config, rkeConfig, spec, metadata));

describe('a Cluster that is deleted', () => {
  const risks = (version?: string, annotations: object = {}) => {
    const target = { name: 'rancher', ...(version ? { rancherVersion: version } : {}) };
    const before = new ImpactSide(
      all({}, {}, {}, { annotations }).map((manifest) => ({ manifest, target })),
      [],
    );
    return impactOf({ before, after: side([]) })
      .find(({ effect, object }) => effect === 'delete' && object === undefined)!
      .risks.find((risk) => risk.includes('volumes'));
  };
  const KEPT = 'the volumes of its pods are left behind on Harvester';

  test('takes the volumes with it that its machines have attached, from Rancher 2.11 on', () => {
    const deleted =
      'volumes of its pods that a machine has attached are deleted with it, unless the annotation harvesterhci.io/skipHarvesterMachineProvisionCleanup of the Cluster is "true"; ' +
      'all others are left behind on Harvester';
    expect([risks('2.10.12'), risks('2.11.0'), risks('2.15.0')]).toEqual([KEPT, deleted, deleted]);
    expect(risks()).toBe(deleted.replace('with it,', 'with it (Rancher 2.11.0 and later),'));
  });

  test('names the volumes that the program declares', () => {
    const within = { name: 'shop', provisioningCluster: 'fleet-default/shop' };
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'web' },
    };
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: { volumeClaimTemplates: [{ metadata: { name: 'disk' } }] },
    };
    const before = new ImpactSide(
      [
        ...all().map((manifest) => ({
          manifest,
          target: { name: 'rancher', rancherVersion: '2.13.8' },
        })),
        ...[claim, set].map((manifest) => ({ manifest, target: within })),
      ],
      [],
    );
    const [{ risks: found }] = impactOf({ before, after: side([]) }).filter(
      ({ effect, object }) => effect === 'delete' && object === undefined,
    );
    expect(found.join()).toContain(
      'volumes of its pods (default/disk-db-*, web/data) that a machine has attached are deleted with it',
    );
  });

  test('keeps them with the annotation', () => {
    const kept = (value: string) =>
      risks('2.15.0', { 'harvesterhci.io/skipHarvesterMachineProvisionCleanup': value }) === KEPT;
    expect([kept('true'), kept('1'), kept('false'), kept('yes')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('machines are replaced', () => {
  test('by a change of a literal value, which is shown', () => {
    const impacts = edit({ memorySize: '16' });
    expect(shown(impactReport(impacts, 'text'))).toBe(
      [
        'Cluster fleet-default/shop on rancher',
        '  replace  pool all, 3 machines: its machines are replaced, a new one is created before an old one is deleted (maxSurge 1, maxUnavailable 0); what is on their disks is lost',
        '    HarvesterConfig fleet-default/nc-shop memorySize: "8" -> "16"',
        '',
        '3 machines replaced',
      ].join('\n'),
    );
  });

  test('in a number that an autoscaler decides', () => {
    const scaled = {
      machinePools: [pool({ quantity: undefined, autoscalingMinSize: 3, autoscalingMaxSize: 9 })],
    };
    const text = shown(
      impactReport(compare(all({}, scaled), all({ memorySize: '16' }, scaled)), 'text'),
    );
    expect(text).toContain(
      '\n  replace  pool all, 3 to 9 machines, as its autoscaler decides: its machines are replaced',
    );
  });

  test('by the layout of JSON, and by plain text in place of base64', () => {
    expect(
      edit({ diskInfo: JSON.stringify(JSON.parse(DISKS), undefined, 1) })[0].causes[0].remark,
    ).toBe('only the layout differs: Rancher replaces the machines all the same');
    const encoded = Buffer.from('#cloud-config\npackages: [qemu-guest-agent]\n').toString('base64');
    expect(edit({ userData: encoded })[0]).toMatchObject({
      effect: 'replace',
      causes: [
        {
          path: 'userData',
          remark:
            'is the same text; only the encoding differs, plain or base64: Rancher replaces the machines all the same',
        },
      ],
    });
  });

  test('by a value within JSON, which is shown', () => {
    const disks = (size: number) => ({
      diskInfo: JSON.stringify({
        disks: [
          { imageName: 'default/noble', size: 40, bootOrder: 1 },
          { storageClassName: 'harvester-longhorn', size },
        ],
      }),
    });
    const [impact] = compare(all(disks(100)), all(disks(200)));
    expect(impact.causes).toEqual([
      {
        object: 'HarvesterConfig fleet-default/nc-shop',
        path: 'diskInfo.disks[1].size',
        before: '100',
        after: '200',
      },
    ]);
    const vgpu = edit({ vgpuInfo: '{"vGPURequests":[{"name":"","deviceName":"a/b"}]}' });
    expect(vgpu[0].risks).toEqual([
      'vgpuInfo has no effect if the pool was created with an older node driver: Rancher keeps the fields of that driver',
    ]);
    const affinity = (key: string) =>
      Buffer.from(
        JSON.stringify({
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: key }],
          },
        }),
      ).toString('base64');
    expect(
      brief(compare(all({ vmAffinity: affinity('a') }), all({ vmAffinity: affinity('b') }))),
    ).toEqual([
      'replace all 3 vmAffinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey',
    ]);
  });

  test('by a line break at the end of the user data, of which no secret is shown', () => {
    const [impact] = edit({
      userData: '#cloud-config\npackages: [qemu-guest-agent]\npassword: hunter2\n',
    });
    expect(impact).toMatchObject({
      effect: 'replace',
      machines: 3,
      causes: [
        {
          object: 'HarvesterConfig fleet-default/nc-shop',
          path: 'userData',
          remark: 'differs from line 3 on (3 lines before, 4 after)',
        },
      ],
    });
    expect(JSON.stringify(edit({ sshPassword: 'hunter2' }))).not.toContain('hunter2');
    expect(
      edit({ userData: '#cloud-config\npackages: [qemu-guest-agent]\n\n' })[0].causes[0].remark,
    ).toContain('only the layout differs');
  });

  test('of every pool that shares a machine configuration', () => {
    const pools = {
      machinePools: [
        pool(),
        pool({ name: 'more', quantity: 2, etcdRole: false, controlPlaneRole: false }),
      ],
    };
    const impacts = compare(all({}, pools), all({ cpuCount: '8' }, pools));
    expect(brief(impacts)).toEqual(['replace all 3 cpuCount', 'replace more 2 cpuCount']);
    expect(impacts[0].what).toContain('nc-shop is also the configuration of pool more');
    expect(impactSummary(impacts)).toBe('5 machines replaced');
  });

  test('by another machine configuration with other contents, not by one with the same', () => {
    const other = {
      machinePools: [pool({ machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-two' } })],
    };
    const after = (fields: object) => [...all({}, other), machineConfig(fields, 'nc-two')];
    expect(brief(compare(all(), after({ cpuCount: '8' })))).toEqual(['replace all 3 cpuCount']);
    expect(compare(all(), after({}))).toEqual([
      expect.objectContaining({
        effect: 'none',
        what: 'the machine configuration has another name and the same contents: no machine is replaced',
      }),
    ]);
  });

  test('the only machine with etcd is a risk', () => {
    const single = (fields: object = {}) => ({ machinePools: [pool({ quantity: 1, ...fields })] });
    expect(compare(all({}, single()), all({ cpuCount: '8' }, single()))[0].risks).toEqual([
      'the only machine with etcd is replaced: take a snapshot of etcd first',
    ]);
    const fixed = single({ rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } });
    expect(compare(all({}, fixed), all({ cpuCount: '8' }, fixed))[0]).toMatchObject({
      what: expect.stringContaining(
        'the old one is deleted before the new one is created (maxSurge 0, maxUnavailable 1)',
      ),
      risks: [
        'the only machine with etcd is deleted before another one exists: all data of the cluster is lost',
      ],
    });
  });

  test('later when the pool is paused', () => {
    const paused = { machinePools: [pool({ paused: true })] };
    expect(compare(all({}, paused), all({ cpuCount: '8' }, paused))[0].risks).toEqual([
      'the pool is paused: this happens when it is resumed',
    ]);
  });
});

describe('machines are left alone', () => {
  test.each([
    [{ cpuModel: '' }],
    [{ enableEfi: false }],
    [{ vmAffinity: null }],
    [{ sshPort: '22' }],
    [{ reservedMemorySize: '-1' }],
    [{ diskSize: '0' }],
  ])('by what the server writes all the same: %j', (fields) => {
    expect(edit(fields)).toEqual([]);
  });

  test('a default that the server stored is the same value: cpuCount left out is "2"', () => {
    expect(
      compare(
        all({ cpuCount: undefined, memorySize: undefined, vmNamespace: undefined }),
        all({ cpuCount: '2', memorySize: '4', vmNamespace: 'default' }),
      ),
    ).toEqual([]);
    expect(brief(compare(all({ cpuCount: undefined }), all({ cpuCount: '4' })))).toEqual([
      'replace all 3 cpuCount',
    ]);
  });

  test('by metadata and by a namespace that was the default', () => {
    expect(
      compare(all(), [
        machineConfig({}, 'nc-shop', {
          labels: { a: 'b' },
          ownerReferences: [{ kind: 'Cluster' }],
        }),
        ...all().slice(1),
      ]),
    ).toEqual([]);
  });

  test.each([
    ['labels', { a: 'b' }],
    ['taints', [{ key: 'a', effect: 'NoSchedule' }]],
    ['cloudCredentialSecretName', 'cattle-global-data:cc-dc1'],
    ['drainBeforeDelete', true],
    ['unhealthyNodeTimeout', '10m'],
    ['hostnameLengthLimit', 20],
    ['rollingUpdate', { maxSurge: 2 }],
  ])('by %s of the pool', (field, value) => {
    expect(edit({}, { machinePools: [pool({ [field]: value })] })).toEqual([
      expect.objectContaining({
        effect: 'none',
        pool: 'all',
        what: expect.stringMatching(new RegExp(`^${field} .*no machine is replaced$`)),
      }),
    ]);
  });

  test('by labels only where the Cluster API of this Rancher changes them in place', () => {
    const on = (rancherVersion: string, rkeConfig: object) =>
      new ImpactSide(
        all({}, rkeConfig).map((manifest) => ({
          manifest,
          target: { name: 'rancher', rancherVersion },
        })),
      );
    const run = (version: string) =>
      impactOf({
        before: on(version, {}),
        after: on(version, { machinePools: [pool({ labels: { a: 'b' } })] }),
      });
    expect(run('2.13.8')).toEqual([expect.objectContaining({ effect: 'none' })]);
    expect(run('2.7.9')).toEqual([
      expect.objectContaining({
        effect: 'replace',
        machines: 3,
        what: 'labels is part of the template of its machines, which this Rancher may replace for it (unconfirmed)',
      }),
    ]);
  });

  test('by a field that the pool was made without', () => {
    const schema = JSON.stringify({ resourceFields: { memorySize: {}, cpuCount: {} } });
    const frozen = { machinePools: [pool({ dynamicSchemaSpec: schema })] };
    expect(compare(all({}, frozen), all({ cpuModel: 'host-model' }, frozen))).toEqual([
      expect.objectContaining({
        effect: 'none',
        what: 'has no effect: the pool was created with a node driver that lacks this field (its dynamicSchemaSpec)',
        causes: [
          {
            object: 'HarvesterConfig fleet-default/nc-shop',
            path: 'cpuModel',
            after: '"host-model"',
          },
        ],
      }),
    ]);
    expect(edit({ cpuModel: 'host-model' })[0]).toMatchObject({
      effect: 'replace',
      risks: [
        'cpuModel has no effect if the pool was created with an older node driver: Rancher keeps the fields of that driver',
      ],
    });
  });

  test('by the management cluster ID, which is read at creation', () => {
    const id = (name: string) => ({
      annotations: { 'provisioning.cattle.io/management-cluster-name': name },
    });
    expect(
      compare(all({}, {}, {}, id('c-m-aaaaaaaa')), all({}, {}, {}, id('c-m-bbbbbbbb'))),
    ).toEqual([
      expect.objectContaining({
        effect: 'none',
        what: 'the management cluster ID is read at creation only: the cluster keeps its current ID',
        risks: [expect.stringContaining('does not meet the cluster')],
      }),
    ]);
  });
});

describe('pools and clusters that come and go', () => {
  const two = {
    machinePools: [
      pool(),
      pool({ name: 'workers', quantity: 2, etcdRole: false, controlPlaneRole: false }),
    ],
  };
  test('a pool grows, shrinks, is added or deleted', () => {
    expect(brief(edit({}, { machinePools: [pool({ quantity: 5 })] }))).toEqual([
      'create all 2 spec.rkeConfig.machinePools[0].quantity',
    ]);
    expect(edit({}, { machinePools: [pool({ quantity: 1 })] })).toEqual([
      expect.objectContaining({
        effect: 'delete',
        machines: 2,
        risks: ['2 of 3 machines with etcd are deleted: the others have no majority'],
      }),
    ]);
    expect(brief(edit({}, two))).toEqual(['create workers 2 spec.rkeConfig.machinePools[1]']);
    expect(compare(all({}, two), all())).toEqual([
      expect.objectContaining({
        effect: 'delete',
        pool: 'workers',
        machines: 2,
        what: 'the pool is gone: its machines are deleted with their disks',
        risks: [],
      }),
    ]);
  });

  test('one whose number an autoscaler decides is not counted', () => {
    const scaled = (max: number) => ({
      machinePools: [
        pool(),
        pool({
          name: 'workers',
          quantity: undefined,
          etcdRole: false,
          controlPlaneRole: false,
          autoscalingMinSize: 1,
          autoscalingMaxSize: max,
        }),
      ],
    });
    expect(brief(compare(all({}, scaled(3)), all({}, scaled(5))))).toEqual([
      'none workers spec.rkeConfig.machinePools[1].autoscalingMaxSize',
    ]);
    expect(impactSummary(compare(all({}, scaled(3)), all()))).toBe('1 to 3 machines deleted');
  });

  describe('a number that an autoscaler decides, or that is yet to come, on one side alone', () => {
    const fixed = { quantity: 3 };
    const scaled = (min: number, max: number) => ({
      quantity: undefined,
      autoscalingMinSize: min,
      autoscalingMaxSize: max,
    });
    const annotated = {
      quantity: undefined,
      machineDeploymentAnnotations: {
        'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': '1',
        'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': '5',
      },
    };
    const late = { quantity: '${late:a|json}' };
    const unsure = (before: object, after: object) =>
      compare(all({}, { machinePools: [pool(before)] }), all({}, { machinePools: [pool(after)] }))
        .filter(({ effect }) => effect !== 'none')
        .map(
          ({ effect, what, causes, risks }) =>
            `${effect}: ${what}: ${causes[0].before} -> ${causes[0].after}; ${risks.join('; ')}`,
        );

    test.each<[string, object, object, string]>([
      [
        '3 machines become 1 to 5',
        fixed,
        scaled(1, 5),
        'unknown: an autoscaler decides from now on how many machines the pool has: 1 to 5: 3 -> 1 to 5 (autoscaler); at most 2 of its machines are deleted with their disks',
      ],
      [
        '3 machines become 1 to 5 by annotations',
        fixed,
        annotated,
        'unknown: an autoscaler decides from now on how many machines the pool has: 1 to 5: 3 -> 1 to 5 (autoscaler); at most 2 of its machines are deleted with their disks',
      ],
      [
        '1 to 5 machines become 3',
        scaled(1, 5),
        fixed,
        'unknown: no autoscaler decides any more how many machines the pool has: it had 1 to 5: 1 to 5 (autoscaler) -> 3; at most 2 of its machines are deleted with their disks',
      ],
      [
        '1 to 5 machines become 1',
        scaled(1, 5),
        { quantity: undefined },
        'unknown: no autoscaler decides any more how many machines the pool has: it had 1 to 5: 1 to 5 (autoscaler) -> 1; at most 4 of its machines are deleted with their disks',
      ],
      [
        '3 machines become what is not known yet',
        fixed,
        late,
        'unknown: cannot be predicted: the number of machines is not known yet: 3 -> "${late:a|json}"; at most 3 of its machines are deleted with their disks',
      ],
    ])('%s', (_, before, after, text) => {
      expect(unsure(before, after)).toEqual([text]);
    });

    test('is one impact: the bounds of the autoscaler have none of their own', () => {
      const one = compare(
        all({}, { machinePools: [pool(fixed)] }),
        all({}, { machinePools: [pool(scaled(1, 5))] }),
      );
      expect(one.map(({ effect }) => effect)).toEqual(['unknown']);
      expect(shown(impactReport(one, 'text'))).toContain(
        'spec.rkeConfig.machinePools[0].quantity: 3 -> 1 to 5 (autoscaler)\n',
      );
    });

    test.each<[string, object, object]>([
      ['3 machines become 3 to 5', fixed, scaled(3, 5)],
      ['1 to 3 machines become 3', scaled(1, 3), fixed],
      ['bounds change', scaled(2, 5), scaled(1, 4)],
      ['both wait for the same', late, late],
    ])('no machine is deleted where %s', (_, before, after) => {
      expect(unsure(before, after)).toEqual([]);
    });
  });

  test('another name is another pool', () => {
    const impacts = edit({}, { machinePools: [pool({ name: 'main' })] });
    expect(brief(impacts)).toEqual([
      'delete all 3 spec.rkeConfig.machinePools',
      'create main 3 spec.rkeConfig.machinePools[0]',
    ]);
    expect(impacts[0]).toMatchObject({
      what: 'the pool is renamed to main: its machines are deleted with their disks, and others are created under that name',
      risks: [
        'all 3 machines with etcd are deleted, and all data of the cluster with them: take a snapshot of etcd first',
        'all 3 machines with control plane are deleted',
      ],
    });
  });

  test('another name that the machine configuration contains, as a rule about hosts does', () => {
    const spread = (name: string) => ({
      vmAffinity: JSON.stringify({
        podAntiAffinity: { labels: { 'harvesterhci.io/machineSetName': `vms-shop-${name}` } },
      }),
    });
    const [before, after] = ['worker', 'workers'].map((name) => [
      ...all(
        {},
        {
          machinePools: [
            pool({ name, machineConfigRef: { kind: 'HarvesterConfig', name: `nc-shop-${name}` } }),
          ],
        },
      ),
      machineConfig(spread(name), `nc-shop-${name}`),
    ]);
    expect(compare(before, after)[0].what).toContain('the pool is renamed to workers: ');
  });

  test('another name with a machine configuration of another name and the same contents', () => {
    const renamed = [
      ...all(
        {},
        {
          machinePools: [
            pool({ name: 'main', machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-main' } }),
          ],
        },
      ),
      machineConfig({}, 'nc-main'),
    ];
    expect(compare(all(), renamed)[0].what).toBe(
      'the pool is renamed to main: its machines are deleted with their disks, and others are created under that name',
    );
    const other = [
      ...all(
        {},
        {
          machinePools: [
            pool({ name: 'main', machineConfigRef: { kind: 'HarvesterConfig', name: 'nc-main' } }),
          ],
        },
      ),
      machineConfig({ cpuCount: '8' }, 'nc-main'),
    ];
    expect(compare(all(), other)[0].what).toBe(
      'the pool is gone: its machines are deleted with their disks',
    );
  });

  test('a Cluster is created and deleted', () => {
    const others = all().slice(0, 3);
    expect(compare(all(), others)).toEqual([
      expect.objectContaining({
        effect: 'delete',
        machines: 3,
        cluster: 'fleet-default/shop',
        risks: [
          expect.stringContaining('all data'),
          expect.stringContaining('volumes of its pods'),
          expect.stringContaining('cloud credential'),
        ],
      }),
    ]);
    expect(brief(compare(others, all()))).toEqual(['create 3 ']);
    expect(compare(all(), [...others, { ...guest(), spec: {} }])).toEqual([
      expect.objectContaining({
        effect: 'refuse',
        what: 'is refused: RKEConfig cannot be made null after cluster creation',
      }),
    ]);
  });

  test('imports have no machines', () => {
    expect(compare([{ ...guest(), spec: {} }], [])).toEqual([]);
  });

  test('a machine configuration that is gone, or not among the files', () => {
    expect(compare(all(), all().slice(1))).toEqual([
      expect.objectContaining({
        effect: 'unknown',
        machines: 3,
        what: expect.stringContaining('nc-shop is not in the current manifests'),
        risks: ['without its machine configuration Rancher creates no machine for the pool'],
      }),
    ]);
    expect(impactSummary(compare(all(), all().slice(1)))).toBe(
      '3 machines may be replaced or deleted (cannot be determined)',
    );
    const none = { machinePools: [pool({ quantity: 0 })] };
    expect(brief(compare(all({}, none), all({}, none).slice(1)))).toEqual([
      'none all 0 spec.rkeConfig.machinePools[0].machineConfigRef',
    ]);
    expect(compare([guest()], [guest()])).toEqual([]);
  });
});

describe('what happens in place', () => {
  test('a Kubernetes upgrade, by its strategy', () => {
    const strategy = {
      upgradeStrategy: {
        controlPlaneConcurrency: '1',
        workerConcurrency: '10%',
        workerDrainOptions: { enabled: true },
      },
    };
    const version = (kubernetesVersion: string) =>
      compare(all({}, strategy), all({}, strategy, { kubernetesVersion }));
    expect(version('v1.34.2+rke2r1')).toEqual([
      expect.objectContaining({
        effect: 'restart',
        machines: 3,
        risks: [],
        what: 'Kubernetes is changed in place on the existing machines, control plane 1 at a time (not drained), workers 10% at a time (drained first); no virtual machine is replaced',
        causes: [
          {
            object: 'Cluster fleet-default/shop',
            path: 'spec.kubernetesVersion',
            before: '"v1.33.6+rke2r1"',
            after: '"v1.34.2+rke2r1"',
          },
        ],
      }),
    ]);
    expect(version('v1.32.9+rke2r1')[0].risks).toEqual([
      'Kubernetes cannot go back to an earlier minor version without a restore of etcd',
    ]);
    expect(version('v1.35.4+rke2r1')[0].risks).toEqual([
      'Kubernetes upgrades one minor version at a time, this edit skips 1',
    ]);
    expect(version('v1.33.6+k3s1')[0].risks).toEqual([
      'another distribution cannot be installed over a running one: create another cluster',
    ]);
  });

  test.each([
    [
      { machineGlobalConfig: { 'cni': 'calico', 'tls-san': ['a'] } },
      'restart 3 spec.rkeConfig.machineGlobalConfig.tls-san',
    ],
    [
      { registries: { mirrors: { 'docker.io': { endpoint: ['https://mirror'] } } } },
      'restart 3 spec.rkeConfig.registries',
    ],
    [{ dataDirectories: { k8sDistro: '/data' } }, 'refuse spec.rkeConfig.dataDirectories'],
    [{ upgradeStrategy: { workerConcurrency: '2' } }, 'none spec.rkeConfig.upgradeStrategy'],
    [{ additionalManifest: 'a: hunter2' }, 'none spec.rkeConfig.additionalManifest'],
  ])('%j', (rkeConfig, text) => {
    const impacts = edit({}, rkeConfig);
    expect(brief(impacts)).toEqual([text]);
    expect(JSON.stringify(impacts)).not.toContain('hunter2');
  });

  test('another network plugin is a risk, and so is a restore', () => {
    expect(edit({}, { machineGlobalConfig: { cni: 'canal' } })[0].risks).toEqual([
      'after a change of the network plugin of a running cluster, pods of both cannot reach each other',
    ]);
    expect(edit({}, { etcdSnapshotRestore: { name: 's', generation: 1 } })[0]).toMatchObject({
      effect: 'restart',
      risks: [
        expect.stringContaining('all that was written to the cluster since the snapshot is lost'),
      ],
    });
  });

  test('another kubeconfig of the cloud provider, and another credential', () => {
    const [config, , , cluster] = all();
    const impacts = compare(all(), [
      config,
      cloudConfig(kubeconfig('vms', 'https://10.0.0.2:6443', 'hunter2')),
      credential({ x: 'hunter2' }),
      cluster,
    ]);
    expect(
      impacts.map(({ effect, causes }) => `${effect} ${causes[0].object} ${causes[0].remark}`),
    ).toEqual([
      'restart Secret fleet-default/harvesterconfig-shop is another one',
      'none Secret cattle-global-data/cc-dc1 is another one',
    ]);
    expect(JSON.stringify(impacts)).not.toContain('hunter2');
    expect(compare(all(), [config, cloudConfig(), cluster])).toEqual([
      expect.objectContaining({ risks: ['machines can neither be made nor removed without it'] }),
    ]);
  });
});

describe('reports', () => {
  const impacts = edit({ memorySize: '16', sshUser: 'a|b`c' });
  test('JSON has every field', () => {
    expect(JSON.parse(impactReport(impacts, 'json'))).toEqual({
      summary: '3 machines replaced',
      machines: {
        delete: 0,
        replace: 3,
        unknown: 0,
        refuse: 0,
        stuck: 0,
        restart: 0,
        kept: 0,
        create: 0,
        none: 0,
      },
      impacts: [
        {
          environment: null,
          effect: 'replace',
          cluster: 'fleet-default/shop',
          object: null,
          target: 'rancher',
          pool: 'all',
          machines: 3,
          scaled: null,
          what: expect.any(String),
          risks: [],
          construct: null,
          id: null,
          accepted: null,
          causes: [
            {
              object: 'HarvesterConfig fleet-default/nc-shop',
              path: 'memorySize',
              before: '"8"',
              after: '"16"',
              remark: null,
            },
            {
              object: 'HarvesterConfig fleet-default/nc-shop',
              path: 'sshUser',
              before: '"ubuntu"',
              after: '"a|b`c"',
              remark: null,
            },
          ],
        },
      ],
    });
  });

  test('Markdown is a table that escapes markup in values', () => {
    const lines = impactReport(impacts, 'markdown').split('\n');
    expect(lines[0]).toBe('### Impact: 3 machines replaced');
    expect(lines[4]).toContain(
      '| replace | rancher | fleet-default/shop | all | 3 | its machines are replaced',
    );
    expect(lines[4]).toContain(
      '`HarvesterConfig fleet-default/nc-shop memorySize: "8" -> "16"`<br>`` HarvesterConfig fleet-default/nc-shop sshUser: "ubuntu" -> "a\\|b`c" ``',
    );
  });

  test('Markdown fits a comment, and leaves out what loses nothing first', () => {
    const many = (effect: Impact['effect'], count: number): Impact[] =>
      [...Array(count).keys()].map((index) => ({
        effect,
        cluster: `fleet-default/${effect}-${index}`,
        target: 'rancher',
        what: 'x'.repeat(200),
        causes: [...Array(30).keys()].map((path) => ({ object: 'a', path: String(path) })),
        risks: [],
      }));
    const text = impactReport([...many('none', 200), ...many('replace', 20)], 'markdown');
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(text.match(/^\| replace \|/gm)).toHaveLength(20);
    const shownRows = text.match(/^\| none \|/gm)!.length;
    expect(text).toContain(
      `\n\n${200 - shownRows} more rows are left out; \`cdk8s-harvester impact --output text\` prints all.`,
    );
    expect(text).toContain('`a 19`<br>… and 10 more |');
  });

  test('what is the same for several clusters once, and what is accepted for each', () => {
    const of = (cluster: string, effect: Effect): Impact => ({
      effect,
      target: 'rancher',
      cluster: `fleet-default/${cluster}`,
      what: 'the credential is another one',
      causes: [{ object: 'Secret cc-dc1', path: 'data' }],
      risks: [],
      id: `rancher/${cluster}`,
    });
    const text = (effect: Effect): string =>
      shown(impactReport([of('shop', effect), of('web', effect)], 'text'));
    expect(text('none')).toBe(
      [
        'Cluster fleet-default/shop, Cluster fleet-default/web on rancher',
        '  none  cluster: the credential is another one',
        '    Secret cc-dc1 data',
        '',
        'no machine is deleted or replaced',
      ].join('\n'),
    );
    expect(text('replace')).toContain("app.acceptRemoval('rancher/web'");
  });

  test('nothing', () => {
    expect(shown(impactReport([], 'text'))).toBe(
      'no guest cluster or machine changes: no machine is deleted or replaced',
    );
    expect(impactReport([], 'markdown')).toBe(
      '### Impact: no machine is deleted or replaced\n\nno guest cluster or machine changes.',
    );
  });
});

describe('a Cluster that leaves the output', () => {
  const before = all();
  const cluster = before.find(({ kind }) => kind === 'Cluster')!;

  test('is kept with its machines where the engine keeps it, which loses nothing', () => {
    const impacts = impactOf(
      { before: side(before), after: side([]) },
      new Map([
        [
          objectId('rancher', cluster),
          { fate: 'kept', reason: 'its machines would be lost with it' },
        ],
      ]),
    );
    expect(impacts).toEqual([
      expect.objectContaining({
        effect: 'kept',
        machines: 3,
        what: 'the Cluster is no longer declared, but kept with what it needs: its machines would be lost with it',
        risks: [],
      }),
    ]);
    expect(impacts.some(mayLoseMachines)).toBe(false);
    expect(impactSummary(impacts)).toBe('3 machines kept');
    expect(JSON.parse(impactReport(impacts, 'json'))).toMatchObject({
      machines: { delete: 0, kept: 3 },
    });
    expect(impactReport(impacts, 'markdown')).toContain('| kept |');
  });

  test('is deleted with them where nothing keeps it', () => {
    expect(impactOf({ before: side(before), after: side([]) })).toEqual([
      expect.objectContaining({ effect: 'delete', machines: 3 }),
    ]);
  });
});
