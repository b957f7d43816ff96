import { Manifest } from '../../../src/core/manifest/manifest';
import { Rule } from '../../../src/core/rule/rule';
import { knownKinds } from '../../../src/core/shape/shape-node';
import { SHAPE_RULES } from '../../../src/core/shape/shape.rules';
import { brief, cluster, judgeOn, Judging, setting } from '../../support/judging';
import { fc } from '../../support/properties';

const CLUSTER = 'provisioning.cattle.io/v1 Cluster';
const TOKEN = 'management.cattle.io/v3 ClusterRegistrationToken';
const RANCHER_SETTING = 'management.cattle.io/v3 Setting';
const HARVESTER_SETTING = 'harvesterhci.io/v1beta1 Setting';
const CONFIG = 'rke-machine-config.cattle.io/v1 HarvesterConfig';
const CLOUD_INIT = 'node.harvesterhci.io/v1beta1 CloudInit';
const POOL = 'loadbalancer.harvesterhci.io/v1beta1 IPPool';
const BALANCER = 'loadbalancer.harvesterhci.io/v1beta1 LoadBalancer';
const QUOTA = 'harvesterhci.io/v1beta1 ResourceQuota';
const MACHINE = 'kubevirt.io/v1 VirtualMachine';
const RECURRING_JOB = 'longhorn.io/v1beta2 RecurringJob';

function object(what: string, fields: object): Manifest {
  const [apiVersion, kind] = what.split(' ');
  return { apiVersion, kind, metadata: { name: 'one', namespace: 'fleet-default' }, ...fields };
}

function allFound(manifest: Manifest, judging?: Judging): string[] {
  return brief(judgeOn(SHAPE_RULES, [manifest], judging));
}

/** Without what is missing, since most objects here are parts of objects. */
function found(manifest: Manifest, judging?: Judging): string[] {
  return allFound(manifest, judging).filter(
    (finding) => !finding.includes('object/required-field'),
  );
}

function inRke(rkeConfig: object): object {
  return { spec: { rkeConfig } };
}

/** A value at a dotted path. */
function at(dotted: string, value: unknown): object {
  return dotted.split('.').reduceRight((inner, key) => ({ [key]: inner }), value) as object;
}

const AUTOSCALED = inRke({ machinePools: [{ autoscalingMinSize: '1' }] });
const LATER = inRke({
  etcd: { s3: { retention: 'x' } },
  machinePools: [{ userdata: { inlineUserdata: 1 } }],
});

describe('the types of fields', () => {
  test.each<[string, string, unknown]>([
    [CLUSTER, 'spec', 'x'],
    [CLUSTER, 'spec', []],
    [CLUSTER, 'spec.rkeConfig', 'x'],
    [CLUSTER, 'spec.rkeConfig.machinePools', { a: 1 }],
    [CLUSTER, 'spec.rkeConfig.upgradeStrategy.controlPlaneConcurrency', 1],
    [CLUSTER, 'spec.rkeConfig.upgradeStrategy.workerDrainOptions.enabled', 'true'],
    [CLUSTER, 'spec.rkeConfig.etcd.snapshotRetention', '5'],
    [CLUSTER, 'spec.rkeConfig.etcd.snapshotRetention', 5.5],
    [CLUSTER, 'spec.rkeConfig.chartValues', 'a: b'],
    [CLUSTER, 'spec.rkeConfig.machineGlobalConfig', []],
    [CLUSTER, 'spec.localClusterAuthEndpoint.enabled', 'true'],
    [CLUSTER, 'spec.enableNetworkPolicy', 0],
    [CLUSTER, 'spec.cloudCredentialSecretName', 5],
    [CLUSTER, 'spec.clusterAgentDeploymentCustomization', []],
    [CLUSTER, 'spec.kubernetesVersion', 1.33],
    [
      CLUSTER,
      'spec.clusterAgentDeploymentCustomization.overrideResourceRequirements.limits.cpu',
      true,
    ],
    [TOKEN, 'spec.ttl', '60'],
    [TOKEN, 'spec.clusterName', 1],
    [RANCHER_SETTING, 'value', 5],
    [RANCHER_SETTING, 'customized', 'true'],
    [HARVESTER_SETTING, 'value', { a: 1 }],
    [CONFIG, 'cpuCount', 4],
    [CONFIG, 'enableEfi', 'true'],
    [CLOUD_INIT, 'spec.matchSelector', []],
    [CLOUD_INIT, 'spec.matchSelector.a', 1],
    // as in the documentation of IPPool
    [POOL, 'spec.selector.scope', { project: 'product', namespace: 'default' }],
    [POOL, 'spec.ranges', { subnet: '10.0.0.0/24' }],
    [POOL, 'spec.selector.priority', '100'],
    [BALANCER, 'spec.backendServerSelector.app', 'web'],
    [BALANCER, 'spec.healthCheck.port', '80'],
    [QUOTA, 'spec.snapshotLimit.namespaceTotalSnapshotSizeQuota', '10Gi'],
    [MACHINE, 'spec.template.spec.domain.cpu.cores', '2'],
    [MACHINE, 'spec.template.spec.volumes', {}],
    [MACHINE, 'spec.template.metadata.labels', 'x'],
    [MACHINE, 'spec.template.metadata.annotations.a', 1],
    [RECURRING_JOB, 'spec.retain', '3'],
  ])('refuses in %s a value of another type at %s: %j', (what, dotted, value) => {
    expect(found(object(what, at(dotted, value)))).toEqual([`error object/field-type ${dotted}`]);
  });

  test('quotes the server and never shows the value', () => {
    const [finding] = judgeOn(SHAPE_RULES, [
      cluster('a', at('rkeConfig.machinePools', { 'key-secret': 'very-secret' })),
    ]);
    expect(finding.message).toBe(
      'must be a list, got a map (the server: ' +
        '"spec.rkeConfig.machinePools: Invalid value: "object": spec.rkeConfig.machinePools in body must be of type array: "object"")',
    );
    expect(JSON.stringify(finding)).not.toContain('secret');
  });

  test('judges items of lists and values of maps', () => {
    const pools = [
      { name: 'a', labels: { ok: 'x', wrong: 1 } },
      5,
      { quantity: '1', rollingUpdate: { maxSurge: 1, maxUnavailable: false } },
    ];
    expect(found(object(CLUSTER, inRke({ machinePools: pools })))).toEqual([
      'error object/field-type spec.rkeConfig.machinePools[0].labels.wrong',
      'error object/field-type spec.rkeConfig.machinePools[1]',
      'error object/field-type spec.rkeConfig.machinePools[2].quantity',
      'error object/field-type spec.rkeConfig.machinePools[2].rollingUpdate.maxUnavailable',
    ]);
  });

  test('warns of null and of emptied objects, which only a server-side apply refuses', () => {
    const warning = 'warning object/null-field spec';
    const empty = object(POOL, { spec: { ranges: [], selector: {} } });
    const full = object(POOL, { spec: { ranges: [], selector: { network: 'a/b' } } });
    const live = (manifest: Manifest, selector: object): Manifest => ({
      ...manifest,
      metadata: { ...manifest.metadata, uid: 'x' },
      spec: { ranges: [], selector },
    });
    expect(found(object(CLUSTER, { spec: null }))).toEqual([warning]);
    expect(found(empty)).toEqual([]);
    expect(found(empty, { before: [full] })).toEqual([`${warning}.selector`]);
    expect(
      found(empty, { before: [full], live: [live(full, { network: 'a/b', priority: 1 })] }),
    ).toEqual([]);
  });

  test('ignores null where it is allowed, and late values, and takes 5.0 for a whole number', () => {
    const late = '${late:a.b}';
    const pools = [{ quantity: late, labels: { a: late } }];
    expect(
      found(object(CLUSTER, inRke({ machinePools: pools, etcd: { snapshotRetention: 5.0 } }))),
    ).toEqual([]);
    expect(found(object(CLUSTER, inRke({ machinePools: [null] })))).toEqual([
      'error object/field-type spec.rkeConfig.machinePools[0]',
    ]);
    expect(found(object(TOKEN, { spec: late }))).toEqual([]);
    expect(
      found(object(CONFIG, { cpuPinning: null, cpuCount: undefined, diskSize: late })),
    ).toEqual([]);
  });

  test('only warns of a wrong value that the update does not change', () => {
    const before = object(TOKEN, { spec: { ttl: '60', gracePeriod: 1 } });
    const after = object(TOKEN, { spec: { ttl: '61', gracePeriod: '1' } });
    expect(found(after, { before: [before] })).toEqual([
      'error object/field-type spec.gracePeriod',
      'warning object/field-type spec.ttl',
    ]);
  });
});

describe('unknown fields', () => {
  test.each<[string, object, string[]]>([
    [TOKEN, { spec: { tokenName: 'x' } }, ['spec.tokenName']],
    [RANCHER_SETTING, { spec: { value: 'x' } }, ['spec']],
    [HARVESTER_SETTING, { spec: {}, values: 'x' }, ['spec', 'values']],
    [CONFIG, { spec: {}, cpus: '4' }, ['cpus', 'spec']],
    [CLUSTER, { spec: { foo: 1 } }, ['spec.foo']],
    [
      CLUSTER,
      inRke({ machinePools: [{ hostnamePrefix: 'x' }] }),
      ['spec.rkeConfig.machinePools[0].hostnamePrefix'],
    ],
    [
      CLUSTER,
      JSON.parse('{"spec":{"__proto__":1,"constructor":{},"toString":[]}}'),
      ['spec.__proto__', 'spec.constructor', 'spec.toString'],
    ],
    [CLOUD_INIT, { spec: { content: 'x' } }, ['spec.content']],
    // as Terraform calls them
    [
      POOL,
      { spec: { ranges: [{ subnet: '10.0.0.0/24', start: '10.0.0.5', end: '10.0.0.9' }] } },
      ['spec.ranges[0].end', 'spec.ranges[0].start'],
    ],
    [
      BALANCER,
      { spec: { ippool: 'a', listeners: [{ backend_port: 80 }] } },
      ['spec.ippool', 'spec.listeners[0].backend_port'],
    ],
    [
      MACHINE,
      { spec: { template: { spec: { domain: { devices: {}, cpus: 2 } } } } },
      ['spec.template.spec.domain.cpus'],
    ],
  ])('are reported in %s: %j', (what, fields, paths) => {
    expect(found(object(what, fields))).toEqual(
      paths.map((unknown) => `warning object/unknown-field ${unknown}`),
    );
  });

  test('are reported with the field that was probably meant', () => {
    const [finding] = judgeOn(SHAPE_RULES, [cluster('a', { rkeconfig: {} })]);
    expect(finding.fix).toBe('write rkeConfig');
    expect(finding.message).toContain('strict decoding error: unknown field "spec.rkeconfig"');
    const [cpus] = judgeOn(SHAPE_RULES, [
      object(MACHINE, at('spec.template.spec.domain.cpus', 2)),
    ]).filter(({ rule }) => rule === 'object/unknown-field');
    expect(cpus.fix).toBe('write cpu');
  });

  test('are reported with the fields that there are, where none is near', () => {
    const [finding] = judgeOn(SHAPE_RULES, [object(TOKEN, { spec: { tokenName: 'x' } })]);
    expect(finding.fix).toBe('remove it, or use one of clusterName, gracePeriod, ttl');
  });

  test('are accepted where the definition takes any', () => {
    const free = { a: { b: [1, 'x', null, { c: 1.5 }] } };
    expect(
      found(
        object(
          CLUSTER,
          inRke({
            chartValues: free,
            machineGlobalConfig: free,
            machineSelectorConfig: [{ config: free }],
          }),
        ),
      ),
    ).toEqual([]);
    expect(
      found(
        object(CLUSTER, {
          ...inRke({ registries: { configs: { 'a:5000': { tlsSecretName: 'x' } } } }),
          status: free,
        }),
      ),
    ).toEqual([]);
  });
});

describe('the version of the product', () => {
  test('decides: a provisioning Cluster before Rancher 2.12, or on a Harvester, is not judged', () => {
    const wrong = object(CLUSTER, { spec: 'x', foo: 1 });
    for (const version of ['2.11.9', 'v2.9.0', '2.12.0-rc1']) {
      expect(found(wrong, { version })).toEqual([]);
    }
    expect(found(wrong, { kind: 'harvester' })).toEqual([]);
    for (const version of [undefined, '2.12.0', '2.13.8', '2.17.0', 'main']) {
      expect(found(wrong, { version })).toEqual([
        'error object/field-type spec',
        'warning object/unknown-field foo',
      ]);
    }
    expect(found(setting('a', 5), { version: '2.11.0' })).toEqual([
      'error object/field-type value',
    ]);
  });

  test('decides: a field that came later is unknown before, and uncertain where the version is not known', () => {
    const sized = 'spec.rkeConfig.machinePools[0].autoscalingMinSize';
    expect(found(object(CLUSTER, AUTOSCALED), { version: '2.12.3' })).toEqual([
      `warning object/unknown-field ${sized}`,
    ]);
    expect(found(object(CLUSTER, AUTOSCALED), { version: '2.13.0' })).toEqual([
      `error object/field-type ${sized}`,
    ]);
    expect(found(object(CLUSTER, AUTOSCALED))).toEqual([`warning object/field-type ${sized}`]);
    const later = ['spec.rkeConfig.etcd.s3.retention', 'spec.rkeConfig.machinePools[0].userdata'];
    expect(found(object(CLUSTER, LATER), { version: '2.13.8' })).toEqual(
      later.map((field) => `warning object/unknown-field ${field}`),
    );
    expect(found(object(CLUSTER, LATER), { version: '2.14.0' })).toHaveLength(2);
    expect(found(object(CLUSTER, LATER))).toEqual([
      `warning object/field-type ${later[0]}`,
      `warning object/field-type ${later[1]}.inlineUserdata`,
    ]);
  });

  test('does not matter where the API has another version: nothing is judged', () => {
    expect(found(object('provisioning.cattle.io/v2 Cluster', { spec: 'x' }))).toEqual([]);
  });
});

describe('any manifest', () => {
  test('is judged without an exception', () => {
    const keys = fc.constantFrom(
      'spec',
      'rkeConfig',
      'machinePools',
      'status',
      'value',
      'labels',
      '__proto__',
      'registries',
      'configs',
      'x',
    );
    const { json } = fc.letrec<{ json: unknown }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 6 },
        fc.jsonValue(),
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(keys, tie('json'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(fc.constantFrom(...knownKinds().keys()), json, (name, value) => {
        allFound(
          object(
            name.replace(/\/(?=\w+$)/, ' '),
            value !== null && typeof value === 'object' && !Array.isArray(value)
              ? value
              : { spec: value },
          ),
        );
      }),
      { numRuns: 500 },
    );
  });

  test('may be deeper than the call stack', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) {
      deep = { spec: [deep] };
    }
    expect(found(object(CLUSTER, inRke({ chartValues: { deep } })))).toEqual([]);
  });
});

describe('required fields', () => {
  const volume = (source: object) =>
    object(MACHINE, {
      spec: {
        template: { spec: { domain: { devices: {} }, volumes: [{ name: 'a', ...source }] } },
      },
    });

  test('are reported where they are missing, with what to do', () => {
    expect(allFound(volume({ persistentVolumeClaim: {} }))).toEqual([
      'error object/required-field spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
    ]);
    expect(allFound(volume({ persistentVolumeClaim: { claimName: null } }))).toHaveLength(2);
    expect(allFound(volume({ persistentVolumeClaim: { claimName: '${late:a.b}' } }))).toEqual([]);
    const [finding] = judgeOn(SHAPE_RULES, [object(POOL, { spec: {} })]);
    expect(finding).toMatchObject({
      path: 'spec.ranges',
      fix: 'set spec.ranges',
      message: expect.stringContaining('spec.ranges: Required value'),
    });
  });

  test('may be missing in a part of an object that is live, or that its product completes', () => {
    const part = object(POOL, { spec: {} });
    expect(allFound(part, { live: [part] })).toEqual([]);
    expect(
      allFound(object('harvesterhci.io/v1beta1 Addon', { spec: { enabled: true } }), {
        kind: 'harvester',
      }),
    ).toEqual([]);
    expect(
      allFound(object('management.cattle.io/v3 NodeDriver', { spec: { active: true } })),
    ).toEqual([]);
  });

  test('are reported where an edit removes them', () => {
    const image = (spec: object, metadata: object = {}) => ({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: 'a', namespace: 'b', ...metadata },
      spec,
    });
    const whole = image({ displayName: 'a', sourceType: 'upload' });
    const live = image({ displayName: 'a', sourceType: 'upload' }, { uid: 'u' });
    const part = image({ sourceType: 'upload' });
    const kind = 'harvester' as const;
    const required = (judging: Judging) =>
      allFound(part, { kind, ...judging }).filter((each) => each.includes('required-field'));
    const removed = ['error object/required-field spec.displayName'];
    expect(required({ before: [whole] })).toEqual(removed);
    expect(required({ before: [whole], live: [live] })).toEqual(removed);
    // someone else wrote it
    expect(required({ live: [live] })).toEqual([]);
    expect(required({ before: [part], live: [live] })).toEqual([]);
    expect(allFound({ ...part, spec: undefined } as Manifest, { kind, before: [whole] })).toEqual([
      'error object/required-field spec',
    ]);
  });

  test('are reported in an item that an edit adds to a list', () => {
    const pool = (...ranges: object[]) => object(POOL, { spec: { ranges } });
    const before = [pool({ subnet: '10.0.0.0/24' })];
    expect(allFound(pool({ subnet: '10.0.0.0/24' }, { gateway: '10.1.0.1' }), { before })).toEqual([
      'error object/required-field spec.ranges[1].subnet',
    ]);
  });

  describe('that another rule reports, too,', () => {
    const specific = (level: 'error' | 'warning'): Rule => ({
      id: 'ip-pool/test',
      level,
      kinds: ['loadbalancer.harvesterhci.io/IPPool'],
      what: '',
      source: '',
      *judge() {
        yield { path: 'spec.ranges', message: 'a', fix: 'b' };
      },
    });
    const judgedWith = (level: 'error' | 'warning'): string[] =>
      brief(judgeOn([...SHAPE_RULES, specific(level)], [object(POOL, { spec: {} })]));

    test('are not reported again', () => {
      expect(judgedWith('error')).toEqual(['error ip-pool/test spec.ranges']);
    });

    test('are not hidden by its warning', () => {
      expect(judgedWith('warning')).toEqual([
        'error object/required-field spec.ranges',
        'warning ip-pool/test spec.ranges',
      ]);
    });
  });
});

describe('values', () => {
  test('are refused where the definition lists others', () => {
    const [finding, ...others] = judgeOn(SHAPE_RULES, [
      object(BALANCER, { spec: { ipam: 'ippool' } }),
    ]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: 'object/field-value',
      path: 'spec.ipam',
      fix: 'use one of "pool", "dhcp"',
    });
    expect(finding.message).toContain(
      'spec.ipam: Unsupported value: "ippool": supported values: "pool", "dhcp"',
    );
  });

  test('of the fields that identify an item of a list are refused the second time', () => {
    const claims = [{ name: 'a' }, { name: 'b' }, { name: 'a' }];
    const wrong = object(
      CLUSTER,
      at('spec.clusterAgentDeploymentCustomization.overrideResourceRequirements.claims', claims),
    );
    expect(found(wrong, { version: '2.12.0' })).toEqual([
      'error object/field-value spec.clusterAgentDeploymentCustomization.overrideResourceRequirements.claims[2]',
    ]);
  });
});
