import { Manifest } from '../../../src/core/manifest/manifest';
import { JudgedObject, World } from '../../../src/core/rule/rule';
import { fitTable, printFits } from '../../../src/report/fits/fit-table';
import { fitImpacts } from '../../../src/report/impact/fit-impacts';
import { Impact } from '../../../src/report/impact/impact';
import {
  HARVESTER as BALANCED,
  on,
  pool as ipPool,
  vmBalancer,
  vmNamespace,
} from '../../support/balancers';
import { guest, machineConfig, pool } from '../../support/guest';
import { shown } from '../../support/shown';
import { HARVESTER, RANCHER, tenant } from '../../support/tenancy';

const quota = (limit: object): Manifest =>
  tenant('vms', undefined, { 'field.cattle.io/resourceQuota': JSON.stringify({ limit }) });

function world({
  limit = { limitsCpu: '10', limitsMemory: '32Gi', pods: '4' } as object,
  quantity = 3,
  more = [] as JudgedObject[],
} = {}): World {
  return new World([
    { target: HARVESTER, manifest: quota(limit) },
    {
      target: RANCHER,
      manifest: machineConfig({ vmNamespace: 'vms', cpuCount: '2', memorySize: '4' }),
    },
    { target: RANCHER, manifest: guest({ machinePools: [pool({ quantity })] }) },
    ...more,
  ]);
}

const addresses = (balancers: number): World =>
  new World(
    on(
      BALANCED,
      ipPool('all', [{ subnet: '10.0.0.0/24', rangeStart: '10.0.0.10', rangeEnd: '10.0.0.11' }]),
      vmNamespace(),
      ...[...Array(balancers).keys()].map((index) => vmBalancer(`lb-${index}`, { ipPool: 'all' })),
    ),
  );

test('has a row for each limit that machines use', () => {
  expect(fitTable(world())).toEqual([
    {
      target: 'dc1',
      object: 'Namespace vms',
      resource: 'limitsCpu',
      limit: '10',
      needs: '6.045',
      peak: '8.06',
      peakBy: 'the machines that a rolling update creates first',
      fits: 'yes',
      users: ['3 machines of pool all of shop (6.045)'],
    },
    expect.objectContaining({
      resource: 'limitsMemory',
      needs: '13.41Gi',
      peak: '17.88Gi',
      fits: 'yes',
    }),
    expect.objectContaining({ resource: 'pods', needs: '3', peak: '4', fits: 'yes' }),
  ]);
});

test.each([
  [2, 'yes'],
  [3, 'no'],
])('compares %d load balancers with a pool of two addresses', (balancers, fits) => {
  expect(fitTable(addresses(balancers))).toEqual([
    expect.objectContaining({
      object: 'IPPool all',
      resource: 'addresses',
      limit: '2',
      needs: String(balancers),
      fits,
    }),
  ]);
});

const fixed = (address: string, name: string, network = 'default/prod'): Manifest =>
  machineConfig(
    {
      networkData: `version: 2\nethernets: {enp1s0: {addresses: [${address}/24]}}\n`,
      networkInfo: JSON.stringify({ interfaces: [{ networkName: network }] }),
    },
    name,
  );

test.each([
  [1, '10.0.0.10', undefined, '2', 'yes'],
  [2, '10.0.0.10', undefined, '3', 'probably not'],
  [0, '10.0.0.11', undefined, '1', 'yes'],
  [2, '10.0.0.12', undefined, '2', 'yes'],
  [2, '10.0.0.10', 'default/other', '2', 'yes'],
])(
  'counts %d load balancers and a machine with the address %s of the network %s',
  (balancers, address, network, needs, fits) => {
    const pools = addresses(balancers).judged.map((object) =>
      object.manifest.kind === 'IPPool'
        ? {
            ...object,
            manifest: {
              ...object.manifest,
              spec: { ...(object.manifest.spec as object), selector: { network: 'default/prod' } },
            },
          }
        : object,
    );
    const withMachine = new World([
      ...pools,
      { target: RANCHER, manifest: fixed(address, 'nc-11', network) },
    ]);
    expect(fitTable(withMachine)).toEqual([expect.objectContaining({ limit: '2', needs, fits })]);
  },
);

test('names the machines with fixed addresses', () => {
  const withMachine = new World([
    ...addresses(1).judged,
    { target: RANCHER, manifest: fixed('10.0.0.10', 'nc-11') },
  ]);
  expect(fitTable(withMachine)[0].users).toEqual([
    'LoadBalancer vms/lb-0',
    'HarvesterConfig fleet-default/nc-11 (10.0.0.10)',
  ]);
});

test('counts load balancers in a quota of Services', () => {
  const limited = (servicesLoadBalancers: string): World =>
    new World(
      on(
        BALANCED,
        ipPool('all', ['10.0.0.0/24']),
        quota({ servicesLoadBalancers, services: '9', servicesNodePorts: servicesLoadBalancers }),
        vmBalancer('a', { ipPool: 'all' }),
        vmBalancer('b', { ipPool: 'all' }),
      ),
    );
  expect(fitTable(limited('2')).filter(({ fits }) => fits !== 'yes')).toEqual([]);
  expect(
    fitTable(limited('1'))
      .filter(({ fits }) => fits !== 'yes')
      .map(({ resource, needs, fits }) => [resource, needs, fits]),
  ).toEqual([
    ['servicesLoadBalancers', '2', 'no'],
    ['servicesNodePorts', '2', 'no'],
  ]);
});

test('prints amounts in the unit of their limit', () => {
  const rows = fitTable(
    world({ limit: { limitsCpu: '9000m', limitsMemory: '16384Mi', requestsStorage: '1Ti' } }),
  );
  expect(rows.map(({ needs, peak }) => [needs, peak])).toEqual([
    ['6045m', '8060m'],
    ['13726Mi', '18301Mi'],
    [expect.stringMatching(/Ti$/), expect.stringMatching(/Ti$/)],
  ]);
  for (const { users, needs } of rows) {
    expect(users).toEqual([`3 machines of pool all of shop (${needs})`]);
  }
});

test('prints text, JSON and Markdown', () => {
  const rows = fitTable(world({ limit: { limitsCpu: '6' } }));
  expect(shown(printFits(rows, 'text'))).toBe(
    [
      'Namespace vms on dc1',
      '  RESOURCE   LIMIT  NEEDS  PEAK  FITS',
      '  limitsCpu  6      6.045  8.06  no',
      '  limitsCpu: used by 3 machines of pool all of shop (6.045)',
      '',
      '1 of 1 limits is too low, or may be',
    ].join('\n'),
  );
  expect(JSON.parse(shown(printFits(rows, 'json')))).toEqual(rows);
  expect(shown(printFits(rows, 'markdown'))).toContain(
    '| dc1 | Namespace vms | limitsCpu | 6 | 6.045 | 8.06 | no | 3 machines of pool all of shop (6.045) |',
  );
  expect(shown(printFits([], 'text'))).toBe(
    'no machine uses a quota or a device, and no load balancer a pool',
  );
});

describe('an edit', () => {
  const limit = { limitsCpu: '9' };

  test('after which machines no longer fit is refused', () => {
    const [impact, ...others] = fitImpacts(world({ limit }), world({ limit, quantity: 5 }));
    expect(others).toEqual([]);
    expect(impact).toMatchObject({
      effect: 'refuse',
      object: 'Namespace vms',
      target: 'dc1',
      what: 'not enough limitsCpu: 10.075 of 9 are needed',
    });
    expect(impact.causes).toEqual([
      {
        object: 'machines and load balancers',
        path: 'limitsCpu needs',
        before: '"6.045"',
        after: '"10.075"',
      },
    ]);
  });

  test('after which only the surge no longer fits is reported as a risk', () => {
    expect(fitImpacts(world({ limit }), world({ limit, quantity: 4 }))).toEqual([
      expect.objectContaining({
        effect: 'none',
        what: 'enough limitsCpu, but not with the machines that a rolling update creates first',
        risks: ['10.075 of 9 are needed: a replacement of machines may stop'],
      }),
    ]);
  });

  test('after which an update is stuck is not reported twice', () => {
    const [before, after] = [world({ limit }), world({ limit, quantity: 4 })];
    const stuck: Impact = {
      effect: 'stuck',
      cluster: 'fleet-default/shop',
      target: 'rancher',
      what: '',
      causes: [{ object: 'Namespace vms on dc1', path: 'limitsCpu' }],
      risks: [],
    };
    expect(fitImpacts(before, after, [stuck])).toEqual([]);
    expect(
      fitImpacts(before, after, [
        { ...stuck, causes: [{ object: 'Namespace vms on dc2', path: 'limitsCpu' }] },
      ]),
    ).toHaveLength(1);
    // machines that do not fit at all are another problem
    expect(fitImpacts(before, world({ limit, quantity: 5 }), [stuck])).toEqual([
      expect.objectContaining({ effect: 'refuse' }),
    ]);
  });

  test('of a quota counts, too', () => {
    expect(fitImpacts(world({ limit }), world({ limit: { limitsCpu: '6' } }))[0].causes).toEqual([
      { object: 'Namespace vms', path: 'limitsCpu limit', before: '"9"', after: '"6"' },
    ]);
    expect(fitImpacts(addresses(2), addresses(3))).toEqual([
      expect.objectContaining({ effect: 'refuse', object: 'IPPool all' }),
    ]);
  });

  test('of what did not fit before has no impact', () => {
    const full = { limitsCpu: '1' };
    expect(fitImpacts(world({ limit: full }), world({ limit: full, quantity: 5 }))).toEqual([]);
    expect(fitImpacts(world({ limit: full }), world({ limit }))).toEqual([]);
  });
});
