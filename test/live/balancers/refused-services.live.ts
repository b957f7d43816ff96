import { setTimeout as sleep } from 'node:timers/promises';
import { GuestLab } from './guest-lab';
import { Manifest } from '../../../src/core/manifest/manifest';
import { judge } from '../../../src/core/rule/judge';
import { JudgedTarget, World } from '../../../src/core/rule/rule';
import { CloudConfigSecret } from '../../../src/guest/cloud-provider/cloud-config-secret';
import { ClusterNetwork } from '../../../src/harvester/cluster-network/cluster-network';
import { HarvesterNamespace } from '../../../src/harvester/harvester-namespace';
import { IpPool, IpPoolScope } from '../../../src/harvester/ip-pool/ip-pool';
import { VmNetwork } from '../../../src/harvester/network/vm-network';
import { ALL_RULES } from '../../../src/registry/all-rules';
import { Charts, Walk } from '../walk/walk';

const PROVIDER = 'cloudprovider.harvesterhci.io';
const IPAM = `${PROVIDER}/ipam`;
const PRIMARY = `${PROVIDER}/primary-service`;
const NETWORK = `${PROVIDER}/network`;

/** How long the cloud provider has to refuse a Service, or to give it an address. */
const ANSWER_MS = 40_000;
const LOOK_MS = 1_000;

/** The two Services that all cases know: one has an address, and one shares it. */
const FIRST = 'first';
const SECOND = 'second';

/** What a Service of a case has. */
interface Asked {
  readonly annotations?: { readonly [key: string]: string };
  readonly ports?: readonly { readonly port: number; readonly protocol?: string }[];
}

interface Case {
  readonly title: string;
  /** What it has before, if it is an edit. */
  readonly before?: Asked;
  readonly asked: Asked;
}

/** The cases; `{namespace}` is that of the Services. */
const CASES: readonly Case[] = [
  { title: 'a pool', asked: {} },
  { title: 'an ipam in capitals', asked: { annotations: { [IPAM]: 'DHCP' } } },
  { title: 'an unknown ipam', asked: { annotations: { [IPAM]: 'static' } } },
  { title: 'a primary Service without its namespace', asked: sharing(FIRST) },
  { title: 'a primary Service of three parts', asked: sharing('{namespace}/first/x', 2001) },
  { title: 'a primary Service that does not exist', asked: sharing('{namespace}/none', 2002) },
  { title: 'a primary Service that shares an address', asked: sharing('{namespace}/second', 2003) },
  { title: 'a shared address', asked: sharing('{namespace}/first', 2004) },
  { title: 'a port of the primary Service', asked: sharing('{namespace}/first', 80) },
  { title: 'a port of another secondary Service', asked: sharing('{namespace}/first', 81) },
  {
    title: 'a port of the primary Service with another protocol',
    asked: {
      ...sharing('{namespace}/first'),
      ports: [{ port: 80, protocol: 'UDP' }],
    },
  },
  { title: 'a network without its namespace', asked: { annotations: { [NETWORK]: 'vlan10' } } },
  {
    title: 'an edit from a pool to DHCP',
    before: {},
    asked: { annotations: { [IPAM]: 'dhcp' } },
  },
  {
    title: 'an edit of ports',
    before: {},
    asked: { ports: [{ port: 8080 }] },
  },
  {
    title: 'an edit to a port of the primary Service',
    before: sharing('{namespace}/first', 2005),
    asked: sharing('{namespace}/first', 80),
  },
];

function sharing(primary: string, port = 2000): Asked {
  return { annotations: { [PRIMARY]: primary }, ports: [{ port }] };
}

describe('Services that the cloud provider or the Harvester refuses', () => {
  let guestLab: GuestLab;
  let target: JudgedTarget;
  let namespace: string;

  function declare({ rancher, dc1 }: Charts): void {
    const { lab, cluster, vmNamespace } = guestLab;
    const vms = new HarvesterNamespace(dc1, 'vms', { name: vmNamespace });
    const network = new VmNetwork(dc1, 'vlan10', {
      namespace: vms,
      clusterNetwork: ClusterNetwork.mgmt(dc1),
      vlan: 10,
    });
    new CloudConfigSecret(rancher, 'config', { vmNamespace: vms, clusterName: cluster });
    new IpPool(dc1, 'pool', {
      name: lab.name('refused'),
      network,
      ranges: [{ subnet: '198.18.30.0/24' }],
      scopes: [IpPoolScope.namespace(vms)],
    });
  }

  beforeAll(async () => {
    guestLab = await GuestLab.open();
    const { lab, cluster, vmNamespace, kubernetesVersion } = guestLab;
    namespace = lab.name('services');
    target = {
      name: 'shop',
      kind: 'guest',
      provisioningCluster: `fleet-default/${cluster}`,
      kubernetesVersion,
    };
    expect(await new Walk(lab, 'refused').commit(declare)).toEqual([]);
    await guestLab.startProvider(`harvesterconfig-${cluster}`);
    const name = `${cluster}-all-hj2kd-x9v4t`;
    await guestLab.addMachine({
      name,
      namespace: vmNamespace,
      network: `${vmNamespace}/vlan10`,
      cluster,
    });
    await guestLab.create(guestLab.guest, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    await apply(FIRST, {});
    expect(await answerOf(FIRST)).toBeUndefined();
    await apply(SECOND, sharing('{namespace}/first', 81));
    expect(await answerOf(SECOND)).toBeUndefined();
  });
  afterAll(async () => {
    expect(await guestLab?.close()).toEqual([]);
  });

  function service(name: string, { annotations, ports = [{ port: 80 }] }: Asked): Manifest {
    const written = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace, ...(annotations ? { annotations } : {}) },
      spec: {
        type: 'LoadBalancer',
        selector: { app: name },
        ports: ports.map((each) => ({ protocol: 'TCP', ...each, name: `p${each.port}` })),
      },
    });
    return JSON.parse(written.replaceAll('{namespace}', namespace)) as Manifest;
  }

  async function apply(name: string, asked: Asked): Promise<string | undefined> {
    const { status, body } = await guestLab.guest.apply(service(name, asked));
    return status < 300 ? undefined : String(body?.message);
  }

  /** The refusal of a Service by the cloud provider; undefined where it has an address. */
  async function answerOf(name: string, isEdit = false): Promise<string | undefined> {
    const since = Date.now();
    for (;;) {
      const { ip, event } = await guestLab.served(`${namespace}/${name}`);
      // the address of before remains while an edit is refused
      const hasAnswered = !isEdit || Date.now() - since > ANSWER_MS / 2;
      if (event !== undefined) {
        return event;
      }
      if (ip !== undefined && hasAnswered) {
        return undefined;
      }
      if (Date.now() - since > ANSWER_MS) {
        return 'no address, and no event';
      }
      await sleep(LOOK_MS);
    }
  }

  /** The errors of lint about a Service next to those that are there. */
  function errorsOf(name: string, asked: Asked, before: Asked | undefined): string[] {
    const on = (manifest: Manifest) => ({ manifest, target, file: 'services.yaml' });
    const live = [on(service(FIRST, {})), on(service(SECOND, sharing('{namespace}/first', 81)))];
    const old = before === undefined ? [] : [on(service(name, before))];
    return judge(ALL_RULES, new World([on(service(name, asked))], [...live, ...old], old))
      .filter(({ level, object }) => level === 'error' && object?.name === name)
      .map(({ rule, path, message }) => `${rule} ${path}: ${message}`);
  }

  test.each(CASES.map((each, index) => ({ ...each, name: `case-${index}` })))(
    '$title: refused where lint refuses it',
    async ({ name, before, asked }) => {
      if (before !== undefined) {
        expect(await apply(name, before)).toBeUndefined();
        expect(await answerOf(name)).toBeUndefined();
      }
      const errors = errorsOf(name, asked, before);
      const refusal = (await apply(name, asked)) ?? (await answerOf(name, before !== undefined));
      await guestLab.guest.delete(service(name, asked));
      process.stderr.write(`${name}: lint ${JSON.stringify(errors)}, server ${refusal}\n`);
      expect({
        refusal,
        errors,
        isAgreed: errors.length > 0 === (refusal !== undefined),
      }).toMatchObject({
        isAgreed: true,
      });
    },
  );
});
