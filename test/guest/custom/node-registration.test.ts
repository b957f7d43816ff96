import { createHash } from 'crypto';
import { TaintEffect } from '../../../src/core/manifest/taint';
import { SecretValue } from '../../../src/core/value/secret-value';
import { CustomCluster } from '../../../src/guest/custom/custom-cluster';
import { Kubernetes } from '../../../src/guest/kubernetes/kubernetes';
import { MachineRoles } from '../../../src/guest/machine-pool/machine-pool';
import { GuestAgent } from '../../../src/harvester/cloud-init/cloud-init-props';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import { CA } from '../../support/certificates';
import { SERVER } from '../../support/programs';
import { assemblyOf as assembly, written } from '../../support/written';
import { K3S, customCluster, platform } from '../cluster/_clusters';

const TOKEN = 'abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqr';
const OWN_TOKEN = TokenSource.value(SecretValue.unsafePlainText(TOKEN), { name: 'nodes' });
const SCRIPT = '/run/rancher-system-agent-install.sh';
const CLUSTER = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';

describe('nodes', () => {
  test("register with the token of Rancher's, a late value that waits for the Cluster", () => {
    const { app, cluster } = customCluster();
    const { command, cloudInit } = cluster.nodeRegistration(MachineRoles.ALL);
    const rest = `--server ${SERVER} --label 'cattle.io/os=linux' --token '\${late:rancher.shop.nodetoken}' --etcd --controlplane --worker`;
    expect(command).toBe(`curl -fL ${SERVER}/system-agent-install.sh | sudo sh -s - ${rest}`);
    expect(cloudInit.toText()).toBe(
      [
        '#cloud-config',
        'package_update: true',
        'packages:',
        '  - qemu-guest-agent',
        'runcmd:',
        '  - - systemctl',
        '    - enable',
        '    - --now',
        '    - qemu-guest-agent.service',
        `  - until curl -fL ${SERVER}/system-agent-install.sh -o ${SCRIPT}; do sleep 10; done; sh ${SCRIPT} ${rest}`,
        '',
      ].join('\n'),
    );
    app.synth();
    expect(assembly(app).lateValues).toEqual([
      expect.objectContaining({
        id: 'rancher.shop.nodetoken',
        sensitive: true,
        source: expect.objectContaining({ resolver: 'secret-key', path: 'token' }),
      }),
    ]);
    expect(JSON.stringify(assembly(app).lateValues)).toContain('"name":"crt-token-default-token"');
    expect(assembly(app).edges).toContainEqual({
      from: 'late:rancher.shop.nodetoken',
      to: CLUSTER,
      type: 'applied',
    });
    cluster.nodeRegistration(MachineRoles.WORKER);
  });

  test('before Rancher kept tokens in Secrets, it is read from the status of the registration token', () => {
    const { app, cluster } = customCluster({}, '2.12.3');
    cluster.nodeRegistration(MachineRoles.ALL);
    app.synth();
    expect(assembly(app).lateValues).toMatchObject([
      {
        source: {
          resolver: 'field',
          path: 'status.token',
          kind: 'ClusterRegistrationToken',
          name: 'default-token',
        },
      },
    ]);
  });

  test("a token of one's own is known at synthesis, with its Secret and Namespace", () => {
    const { app, cluster } = customCluster({ registrationToken: OWN_TOKEN });
    expect(cluster.nodeRegistration(MachineRoles.WORKER).command).toContain(
      ` --token ${TOKEN} --worker`,
    );
    expect(Object.keys(written(app))).toEqual([
      'rancher/Namespace/' + cluster.clusterId,
      'rancher/Secret/crt-token-nodes',
      'rancher/Cluster/shop',
    ]);
    expect(assembly(app).lateValues).toEqual([]);
    expect(cluster.registrationToken!.isKnown).toBe(true);
  });

  test('a token in a Secret of another tool is late', () => {
    const { cluster } = customCluster({
      registrationToken: TokenSource.secret({ name: 'sealed' }),
    });
    expect(cluster.nodeRegistration(MachineRoles.ALL).command).toContain(
      "--token '${late:rancher.shop.token.token}'",
    );
  });

  test('a declared token is late', () => {
    const { app, cluster } = customCluster({
      registrationToken: TokenSource.declared({ name: 'nodes' }),
    });
    expect(cluster.nodeRegistration(MachineRoles.ALL).command).toContain(
      "--token '${late:rancher.shop.token.nodetoken}'",
    );
    expect(JSON.stringify(written(app)['rancher/ClusterRegistrationToken/nodes'].spec)).toContain(
      cluster.clusterId,
    );
    expect(JSON.stringify(assembly(app).lateValues)).toContain('"name":"crt-token-nodes"');
  });

  test("have names, addresses, labels and taints as Rancher's UI writes them", () => {
    const { cluster } = customCluster({
      registrationToken: OWN_TOKEN,
      agentEnvVars: { HTTPS_PROXY: 'http://p:3128', NO_PROXY: 'a b', EMPTY: '' },
      dataDirectories: { systemAgent: '/data/agent' },
    });
    const { command } = cluster.nodeRegistration(MachineRoles.CONTROL_PLANE_ETCD, {
      nodeName: 'node-1',
      address: '203.0.113.7',
      internalAddress: 'eth0',
      nodeLabels: { tier: 'gold' },
      taints: [
        { key: 'gpu', effect: TaintEffect.NO_SCHEDULE },
        { key: 'a', value: 'b', effect: TaintEffect.NO_EXECUTE },
      ],
      caChecksum: 'ab'.repeat(32),
      insecureSkipTlsVerify: true,
    });
    const env = "HTTPS_PROXY=http://p:3128 NO_PROXY='a b' CATTLE_AGENT_VAR_DIR=/data/agent ";
    expect(command).toBe(
      `${env}curl --insecure -fL ${SERVER}/system-agent-install.sh | sudo ${env}sh -s - --server ${SERVER} --label 'cattle.io/os=linux' --token ${TOKEN}` +
        ` --ca-checksum ${'ab'.repeat(32)} --node-name node-1 --address 203.0.113.7 --internal-address eth0 --etcd --controlplane --label tier=gold` +
        ' --taint gpu=:NoSchedule --taint a=b:NoExecute',
    );
  });

  test('trust a private authority, and name its checksum as Rancher computes it', () => {
    const trimmed = CA.trimEnd();
    const { cluster } = customCluster({ registrationToken: OWN_TOKEN }, undefined, trimmed);
    const { command, cloudInit } = cluster.nodeRegistration(MachineRoles.ALL, {
      guestAgent: GuestAgent.preinstalled(),
    });
    expect(command).toContain(
      ` --ca-checksum ${createHash('sha256').update(`${trimmed}\n`).digest('hex')} `,
    );
    expect(cloudInit.toText()).toContain('ca_certs:\n  trusted:\n    - |');
    expect(cloudInit.toText()).not.toContain('- qemu-guest-agent');
  });

  test('of K3s contain the account of the cloud provider, which waits for its token', () => {
    const { app, rancher, harvester, namespace } = platform();
    const cluster = new CustomCluster(rancher, 'shop', {
      kubernetes: Kubernetes.k3s(K3S),
      harvesterImport: harvester,
      vmNamespace: namespace,
      registrationToken: OWN_TOKEN,
    });
    const { cloudInit } = cluster.nodeRegistration(MachineRoles.ALL);
    expect(cloudInit.toText()).toMatch(
      /write_files:\n {2}- encoding: b64\n {4}content: "?\$\{late:[^|]+\|base64\}"?\n/,
    );
    app.synth();
  });

  test('need a role, and names and labels that Kubernetes takes', () => {
    const { cluster } = customCluster();
    expect(() =>
      cluster.nodeRegistration(MachineRoles.of({}), {
        nodeName: 'Node_1',
        caChecksum: 'x',
        nodeLabels: { 'a b': 'c d' },
      }),
    ).toThrow(
      [
        '[rancher/shop] roles: must have at least one role (the server: "You must select at least one role."). Fix: set roles, e.g. to MachineRoles.ALL',
        '[rancher/shop] nodeName: must be an RFC 1123 label, got "Node_1". Fix: use at most 63 of a-z, 0-9 and hyphens',
        '[rancher/shop] caChecksum: must be a SHA-256 in hexadecimal, got "x". Fix: use 64 of 0-9 and a-f',
        '[rancher/shop] nodeLabels[a b]: must be a valid label name, got "a b"',
      ].join('\n'),
    );
  });

  test('are known to Harvester by the labels of their virtual machines', () => {
    expect(customCluster().cluster.vmLabels).toEqual({
      'guestcluster.harvesterhci.io/name': 'shop',
      'harvesterhci.io/creator': 'docker-machine-driver-harvester',
    });
  });
});
