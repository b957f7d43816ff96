import { Manifest } from '../../../src/core/manifest/manifest';
import { SHAPE_RULES } from '../../../src/core/shape/shape.rules';
import {
  clusterNetwork,
  findings,
  hostNetwork,
  live,
  network,
  node,
  says,
  told,
  vlanConfig,
} from '../../support/infrastructure';
import { brief, judgeOn } from '../../support/judging';

const MTU = 'network.harvesterhci.io/uplink-mtu';
const LABEL = 'network.harvesterhci.io/clusternetwork';
const mtu = (value: unknown) => ({ uplink: { nics: ['a'], linkAttributes: { mtu: value } } });

describe('a cluster network', () => {
  test('requires a name that fits a bridge', () => {
    expect(told([clusterNetwork('twelve-chars')])).toEqual([]);
    expect(findings([clusterNetwork('thirteen-char')])).toMatchObject([
      {
        rule: 'cluster-network/name',
        level: 'error',
        path: 'metadata.name',
        value: '"thirteen-char"',
        fix: 'choose a shorter name',
        message: expect.stringContaining(
          'the length of the clusterNetwork name thirteen-char is more than 12',
        ),
      },
    ]);
    expect(told([live(clusterNetwork('thirteen-char'))])).toEqual([]);
  });

  test('gets its MTU from its VlanConfigs, except mgmt', () => {
    expect(says([clusterNetwork('prod', { [MTU]: '9000' })])).toEqual([
      `annotation ${MTU} can't be added`,
    ]);
    expect(told([clusterNetwork('mgmt', { [MTU]: '9000' })])).toEqual([]);
    expect(says([clusterNetwork('mgmt', { [MTU]: '100' })])).toEqual([
      'the MTU 100 is out of range [0, 576..9000]',
    ]);
    expect(
      says([live(clusterNetwork('prod', { [MTU]: '9000' })), vlanConfig('up', 'prod')]),
    ).toEqual(['clusternetwork has MTU 9000, but the vlanconfigs up has another MTU 1500']);
  });

  test('cannot be deleted while it is in use, and mgmt never', () => {
    const before = [clusterNetwork('prod')];
    expect(told([], { before })).toEqual([]);
    expect(
      says([vlanConfig('up', 'prod'), network('a', { bridge: 'prod-br' })], {
        before,
        version: '',
      }),
    ).toEqual(
      expect.arrayContaining([
        "can't delete cluster network prod because vlanconfig(s) [up] under this clusternetwork are still existing",
        "can't delete cluster network prod because nads(s) a under this clusternetwork are still existing",
      ]),
    );
    expect(says([], { before: [clusterNetwork('mgmt')] })).toEqual([
      "can't delete cluster network mgmt because it is not allowed",
    ]);
  });

  test('is in use by live objects with its label', () => {
    const before = [clusterNetwork('prod')];
    const labelled = (label?: string) =>
      live(
        network(
          'a',
          { bridge: 'prod-br' },
          label === undefined ? {} : { labels: { [LABEL]: label } },
        ),
      );
    const inUse = (...on: Manifest[]) =>
      told(on, { before, version: '' }).filter((text) => text.includes('in-use'));
    expect(inUse(labelled('prod'))).toEqual(['error cluster-network/in-use']);
    expect(inUse(labelled('other'))).toEqual([]);
    expect(inUse(labelled())).toEqual([]);
    expect(inUse(live(vlanConfig('up', 'prod', {}, { labels: { [LABEL]: 'other' } })))).toEqual([]);
    expect(inUse(live(vlanConfig('up', 'other', {}, { labels: { [LABEL]: 'prod' } })))).toEqual([
      'error cluster-network/in-use',
    ]);
  });
});

describe('a VlanConfig', () => {
  test('cannot configure the cluster network mgmt', () => {
    expect(
      told([
        vlanConfig('up', 'prod', {
          uplink: {
            nics: ['a'],
            linkAttributes: { mtu: 9000, txQLen: -1 },
            bondOptions: { mode: '802.3ad', miimon: 100 },
          },
        }),
      ]),
    ).toEqual([]);
    expect(says([vlanConfig('up', 'mgmt')])).toEqual([
      "users can't create vlanConfig for mgmt cluster network",
    ]);
    expect(told([live(vlanConfig('mgmt', 'mgmt'))])).toEqual([]);
    expect(says([vlanConfig('up', 'prod', mtu(575))])).toEqual([
      'the MTU 575 is out of range [0, 576..9000]',
    ]);
    expect(
      told([
        vlanConfig('up', 'prod', {
          uplink: { nics: [], bondOptions: { mode: 'lacp', miimon: -2 } },
        }),
      ]),
    ).toEqual([
      'error object/field-limit spec.uplink.bondOptions.miimon',
      'error object/field-value spec.uplink.bondOptions.mode',
      'warning vlan-config/spec spec.uplink.nics',
    ]);
    const address = (hardwareAddr: string) =>
      told([
        vlanConfig('up', 'prod', { uplink: { nics: ['a'], linkAttributes: { hardwareAddr } } }),
      ]);
    expect(address('UlQAEjRW')).toEqual([]);
    expect(address('52:54:00:12:34:56')).toEqual([
      'error vlan-config/spec spec.uplink.linkAttributes.hardwareAddr',
    ]);
    expect(brief(judgeOn(SHAPE_RULES, [vlanConfig('up', 'prod', { uplink: undefined })]))).toEqual([
      'error object/required-field spec.uplink',
    ]);
  });

  test('requires its cluster network from Harvester 1.6.1 on, if they are known', () => {
    const around = [vlanConfig('up', 'prod'), clusterNetwork('dev')];
    expect(told(around)).toEqual(['warning vlan-config/cluster-network spec.clusterNetwork']);
    expect(told(around, { version: '1.5.2' })).toEqual([]);
    expect(told([vlanConfig('up', 'prod')])).toEqual([]);
  });

  test('requires the MTU of the others', () => {
    expect(
      says([
        vlanConfig('a', 'prod', { ...mtu(9000), nodeSelector: { x: '1' } }),
        vlanConfig('b', 'prod', { nodeSelector: { x: '2' } }),
      ]),
    ).toEqual([
      'the vlanconfig a MTU 9000 is different with another vlanconfig b MTU 1500, all vlanconfigs on one clusternetwork need to have same MTU',
      'the vlanconfig b MTU 1500 is different with another vlanconfig a MTU 9000, all vlanconfigs on one clusternetwork need to have same MTU',
    ]);
    expect(
      told([
        vlanConfig('a', 'prod', { ...mtu(0), nodeSelector: { x: '1' } }),
        vlanConfig('b', 'prod', { ...mtu(1500), nodeSelector: { x: '2' } }),
      ]),
    ).toEqual([]);
  });

  test('cannot select nodes of another', () => {
    const a = vlanConfig('a', 'prod', { nodeSelector: { zone: 'a' } });
    const all = vlanConfig('all', 'prod');
    expect(told([a, all])).toEqual([
      'warning vlan-config/overlap spec.nodeSelector',
      'warning vlan-config/overlap spec.nodeSelector',
    ]);
    expect(told([a, vlanConfig('b', 'prod', { nodeSelector: { disk: 'ssd' } })])).toEqual([]);
    expect(
      findings([a], {
        live: [
          vlanConfig('b', 'prod', { nodeSelector: { disk: 'ssd' } }),
          node('n1', { zone: 'a', disk: 'ssd' }),
          node('n2', { zone: 'a' }),
        ],
      }),
    ).toMatchObject([
      {
        level: 'error',
        message: expect.stringContaining(
          'cannot select n1, which the VlanConfig b of this cluster network selects (the server: "it overlaps with other vlanconfigs matching node(s) [n1]")',
        ),
      },
    ]);
    expect(told([a], { live: [node('n2', {})] })).toEqual([
      'warning vlan-config/nodes spec.nodeSelector',
    ]);
    expect(
      told([a], {
        live: [
          all,
          node('w', { 'zone': 'a', 'node-role.harvesterhci.io/witness': 'true' }),
          node('n2', {}),
        ],
      }),
    ).toEqual(['warning vlan-config/nodes spec.nodeSelector']);
  });

  test('cannot lose the label with its cluster network', () => {
    const labelled = vlanConfig('a', 'prod', {}, { labels: { [LABEL]: 'prod' } });
    expect(told([labelled])).toEqual([]);
    expect(told([vlanConfig('a', 'prod', {}, { labels: { [LABEL]: 'dev' } })])).toEqual([
      `warning vlan-config/label metadata.labels[${LABEL}]`,
    ]);
    const edit = (after: Manifest, before: Manifest, version = '1.9.0') =>
      findings([after], { before: [before], version }).map(
        ({ level, message }) => `${level} ${message}`,
      );
    const refused = (label: string) =>
      expect.stringContaining(
        `(the server: "cluster network label ${label} is invalid and must not be updated by user")`,
      );
    expect(edit(vlanConfig('a', 'prod'), labelled)).toEqual([refused('')]);
    expect(edit(vlanConfig('a', 'prod'), live(labelled))).toEqual([]);
    const other = vlanConfig('a', 'prod', {}, { labels: { [LABEL]: 'dev' } });
    expect(edit(other, labelled)).toEqual([refused('dev')]);
    expect(edit(other, live(vlanConfig('a', 'prod')))).toEqual([refused('dev')]);
    expect(told([other], { before: [labelled], version: '1.8.2' })).toEqual([
      `warning vlan-config/label metadata.labels[${LABEL}]`,
    ]);
    expect(
      edit(vlanConfig('a', 'dev', {}, { labels: { [LABEL]: 'prod' } }), labelled).filter((text) =>
        text.includes('label'),
      ),
    ).toEqual([]);
  });

  test('is reported if it changes while VMs may run', () => {
    expect(
      told([vlanConfig('a', 'prod', mtu(9000))], { before: [vlanConfig('a', 'prod')] }),
    ).toEqual(['warning vlan-config/update spec.uplink']);
    expect(
      told([vlanConfig('a', 'prod', { description: 'x' })], { before: [vlanConfig('a', 'prod')] }),
    ).toEqual([]);
  });
});

describe('a HostNetworkConfig', () => {
  test('requires Harvester 1.8', () => {
    expect(findings([hostNetwork('a')])).toMatchObject([
      {
        rule: 'host-network/spec',
        level: 'error',
        message: expect.stringContaining(
          'HostNetworkConfig needs Harvester 1.8.0 or later, got 1.7.2',
        ),
      },
    ]);
    expect(told([hostNetwork('a')], { version: '1.8.0' })).toEqual([]);
  });

  const around = { version: '1.8.2' };

  test('requires a VLAN, a short interface name, and addresses if static', () => {
    expect(says([hostNetwork('a', { vlanID: 0, mode: 'bootp' })], around)).toEqual([
      'spec.mode: Unsupported value: "bootp": supported values: "static", "dhcp"',
      'spec.vlanID: Invalid value: 0: spec.vlanID in body should be greater than or equal to 1',
    ]);
    expect(says([hostNetwork('a', { clusterNetwork: 'production', vlanID: 100 })], around)).toEqual(
      ['host network interface name production-br.100 length 17 is more than 15'],
    );
    expect(says([hostNetwork('a', { mode: 'static' })], around)).toEqual([
      'spec: Invalid value: "object": spec.ips must be specified and non-empty when mode is static',
    ]);
    expect(
      told(
        [
          hostNetwork('a', {
            mode: 'static',
            ips: { n1: '10.0.0.1', n2: '10.0.0.2/24', n3: '10.0.1.3/24', n4: '10.0.0.2/24' },
          }),
        ],
        around,
      ),
    ).toEqual([
      'error object/field-limit spec.ips[n1]',
      'warning host-network/spec spec.ips[n3]',
      'warning host-network/spec spec.ips[n4]',
    ]);
    expect(told([hostNetwork('a', { ips: { n1: '10.0.0.1/24' } })], around)).toEqual([
      'warning host-network/spec spec.ips',
    ]);
  });

  test('is unique for its VLAN, and as underlay', () => {
    expect(says([hostNetwork('a'), hostNetwork('b')], around)).toEqual([
      'hostnetworkconfig a already exists for cluster network mgmt with vlanID 5',
    ]);
    expect(
      told(
        [hostNetwork('a', { underlay: true }), hostNetwork('b', { vlanID: 6, underlay: true })],
        around,
      ),
    ).toEqual(['error host-network/twice spec.underlay']);
    expect(
      told(
        [hostNetwork('a', { vlanID: undefined }), hostNetwork('b', { vlanID: undefined })],
        around,
      ),
    ).not.toContain('error host-network/twice spec.vlanID');
  });

  test('requires a cluster network with uplinks', () => {
    const on = hostNetwork('a', { clusterNetwork: 'prod' });
    expect(told([on, clusterNetwork('dev')], around)).toEqual([
      'warning host-network/cluster-network spec.clusterNetwork',
    ]);
    expect(says([on, clusterNetwork('prod')], around)).toEqual([
      'vlan status not present for cluster network prod',
    ]);
    expect(told([on, clusterNetwork('prod'), vlanConfig('up', 'prod')], around)).toEqual([]);
  });

  test('requires an address for every known node', () => {
    const nodes = [node('n1', { zone: 'a' }), node('n2', { zone: 'b' })];
    expect(
      says([hostNetwork('a', { mode: 'static', ips: { n1: '10.0.0.1/24' } })], {
        ...around,
        live: nodes,
      }),
    ).toEqual(['static IP not found for node n2']);
    const selected = hostNetwork('a', {
      mode: 'static',
      ips: { n1: '10.0.0.1/24' },
      nodeSelector: { matchLabels: { zone: 'a' } },
    });
    expect(told([selected], { ...around, live: nodes })).toEqual([]);
    expect(
      says([hostNetwork('a', { underlay: true, nodeSelector: { matchLabels: { zone: 'a' } } })], {
        ...around,
        live: nodes,
      }),
    ).toEqual(['node selector does not match all nodes']);
  });

  test('cannot change its VLAN, or be deleted as underlay', () => {
    expect(
      told([hostNetwork('a', { vlanID: 6 })], { ...around, before: [hostNetwork('a')] }),
    ).toEqual(['error host-network/update spec.vlanID']);
    expect(says([], { ...around, before: [hostNetwork('a', { underlay: true })] })).toEqual([
      'underlay is enabled, disable underlay first',
    ]);
    expect(told([], { ...around, before: [hostNetwork('a')] })).toEqual([]);
    const underlay = (spec: object = {}) => hostNetwork('a', { underlay: true, ...spec });
    expect(told([underlay()], { ...around, before: [underlay({ description: 'x' })] })).toEqual([]);
    expect(
      told([hostNetwork('a', { mode: 'static', ips: { n1: '10.0.0.1/24' } })], {
        ...around,
        before: [underlay()],
      }),
    ).toEqual([]);
    expect(
      says([underlay({ mode: 'static', ips: { n1: '10.0.0.1/24' } })], {
        ...around,
        before: [underlay()],
      }),
    ).toEqual([
      'hostnetworkconfig a already exists for cluster network mgmt vlanid 5 with underlay enabled',
    ]);
  });
});
