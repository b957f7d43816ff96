import * as fs from 'node:fs';
import * as path from 'node:path';
import { ApiObject } from 'cdk8s';
import { OrderingType, Ordering } from '../../../src/core/construct/edge';
import { LateSource, LateValue } from '../../../src/core/value/late-value';
import { ConnectProxy } from '../../support/connect-proxy';
import { status } from '../../support/fault-proxy';
import { tempFolder } from '../../support/temp';
import { describeCluster } from '../clusters';
import { FaultRows, RowOptions, isMap, until } from '../doubles/fault-rows';
import { Platform } from '../doubles/platform';

describeCluster('faults of credentials, proxies and certificates', () => {
  const folder = tempFolder();
  let platform: Platform;
  let rows: FaultRows;
  let connect: ConnectProxy;

  beforeAll(async () => {
    connect = await ConnectProxy.start();
    platform = await Platform.start();
    rows = new FaultRows(platform, folder, 'conn');
  });
  afterAll(async () => {
    await platform?.stop();
    await connect?.close();
  });
  beforeEach(() => {
    rows.next();
    connect.asked.length = 0;
    connect.refuse = undefined;
  });

  /**
   * A token of a ServiceAccount that may do everything: another one than that of the kubeconfig.
   */
  async function newToken(): Promise<string> {
    const { harvester } = platform.clients;
    const [apiVersion, namespace] = ['rbac.authorization.k8s.io/v1', 'default'];
    await harvester.apply({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: rows.name, namespace },
    });
    await harvester.request('POST', `/apis/${apiVersion}/clusterrolebindings`, {
      body: {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name: rows.name },
        roleRef: {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'ClusterRole',
          name: 'cluster-admin',
        },
        subjects: [{ kind: 'ServiceAccount', name: rows.name, namespace }],
      },
    });
    const { body } = await harvester.request(
      'POST',
      `/api/v1/namespaces/${namespace}/serviceaccounts/${rows.name}/token`,
      {
        body: {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: { expirationSeconds: 3600 },
        },
      },
    );
    return body.status.token as string;
  }

  test.each<[string, (file: string, log: string) => { [field: string]: unknown }]>([
    ['a file', (tokenFile) => ({ tokenFile })],
    [
      'a plugin',
      (file, log) => ({
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1',
          command: process.execPath,
          args: [
            '-e',
            `
          const fs = require('fs');
          fs.appendFileSync(${JSON.stringify(log)}, 'x');
          const token = fs.readFileSync(${JSON.stringify(file)}, 'utf8').trim();
          console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }));`,
          ],
          interactiveMode: 'Never',
        },
      }),
    ],
  ])(
    'requests a new token once when it expires during the run, from %s, and continues',
    async (_, userOf) => {
      const [file, log] = [
        path.join(folder, `token-${rows.name}`),
        path.join(folder, `asked-${rows.name}`),
      ];
      fs.writeFileSync(log, '');
      const { token } = platform.planes.harvester;
      fs.writeFileSync(file, `${token}\n`);
      const renewed = await newToken();
      let ended = false;
      platform.harvesterProxy.fault = (request) => {
        if (isMap(request) && platform.harvesterProxy.requests.filter(isMap).length > 3 && !ended) {
          ended = true;
          fs.writeFileSync(file, `${renewed}\n`);
        }
        return ended && request.headers.authorization === `Bearer ${token}`
          ? { kind: 'answer', answer: status(401, 'Unauthorized', 'Unauthorized') }
          : undefined;
      };
      const { stdout, exitCode } = await rows.spawn(
        {
          kubeconfig: ({ user }) => {
            delete user.token;
            Object.assign(user, userOf(file, log));
          },
        },
        rows.maps(),
      ).ended;
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('21 done')]);
      expect(ended).toBe(true);
      expect(await rows.there()).toHaveLength(20);
      // requests in progress, and none with the old token after that
      expect(
        platform.harvesterProxy.requests.filter(
          ({ headers }) => headers.authorization === `Bearer ${renewed}`,
        ).length,
      ).toBeGreaterThan(16);
      if (fs.readFileSync(log, 'utf8') !== '') {
        expect(fs.readFileSync(log, 'utf8')).toBe('xx');
      }
    },
  );

  // a loopback address that proxy settings do not treat as one
  const elsewhere = ({ cluster }: { readonly cluster: { [field: string]: unknown } }): void => {
    cluster.server = String(cluster.server).replace('127.0.0.1', '0.0.0.0');
    cluster['tls-server-name'] = 'localhost';
  };

  test.each<[string, () => RowOptions, boolean]>([
    [
      'the proxy of the kubeconfig',
      () => ({
        kubeconfig: ({ cluster }) => {
          cluster['proxy-url'] = `http://${connect.host}`;
        },
      }),
      true,
    ],
    [
      'that of the environment',
      () => ({ env: { HTTPS_PROXY: connect.host }, kubeconfig: elsewhere }),
      true,
    ],
    [
      'none where the environment exempts the server',
      () => ({
        env: { HTTPS_PROXY: connect.host, NO_PROXY: 'example.com,0.0.0.0/8' },
        kubeconfig: elsewhere,
      }),
      false,
    ],
    ['none to this machine', () => ({ env: { HTTPS_PROXY: connect.host } }), false],
  ])('the way to a server goes through %s', async (_, options, proxied) => {
    const { stdout, stderr, exitCode } = await rows.spawn(options(), rows.maps(3)).ended;
    expect([exitCode, stderr, stdout]).toEqual([0, '', expect.stringContaining('4 done')]);
    expect(new Set(connect.asked.map(({ url }) => url))).toEqual(
      new Set(proxied ? [expect.stringMatching(/^(127\.0\.0\.1|0\.0\.0\.0):\d+$/)] : []),
    );
  });

  test('reconnects to a proxy that drops idle and busy connections', async () => {
    const dist = rows.maps(20, (dc1) => {
      new ApiObject(dc1, 'image', {
        apiVersion: 'harvesterhci.io/v1beta1',
        kind: 'VirtualMachineImage',
        metadata: { name: rows.name, namespace: 'default' },
        spec: {
          displayName: rows.name,
          sourceType: 'download',
          url: 'https://cloud-images.example.com/noble.img',
        },
      });
    });
    await platform.harvester.stop();
    try {
      const cli = rows.spawn(
        {
          kubeconfig: ({ cluster }) => {
            cluster['proxy-url'] = `http://${connect.host}`;
          },
        },
        dist,
        '--wait',
      );
      await until(() => platform.harvesterProxy.requests.filter(isMap).length > 5);
      connect.cutAll();
      await until(() => cli.said.match(/^ready /gm)?.length === 21);
      const { length } = connect.asked;
      connect.cutAll();
      platform.harvester.start();
      expect(await cli.ended).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('22 done'),
      });
      expect(connect.asked.length).toBeGreaterThan(length);
    } finally {
      platform.harvester.start();
    }
  });

  test('quotes a proxy that refuses, without its password', async () => {
    connect.refuse = '407 Proxy Authentication Required';
    const { stderr, exitCode } = await rows.spawn(
      {
        kubeconfig: ({ cluster }) => {
          cluster['proxy-url'] = `http://ana:hunter2@${connect.host}`;
        },
      },
      rows.maps(1),
    ).ended;
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /target dc1 .*proxy 127\.0\.0\.1:\d+: refuses to connect to 127\.0\.0\.1:\d+: 407 Proxy Authentication Required\. Fix: correct proxy-url of the kubeconfig, HTTPS_PROXY or NO_PROXY/,
      ),
    ]);
    expect(stderr).not.toContain('hunter2');
    expect(platform.harvesterProxy.requests).toEqual([]);
  });

  const hours = (count: number): Date => new Date(Date.now() + count * 3_600_000);

  test.each<[string, () => Parameters<Platform['harvesterProxy']['rotate']>[0], RegExp]>([
    [
      'has expired',
      () => ({ notBefore: hours(-48), notAfter: hours(-1) }),
      /its certificate has expired/,
    ],
    [
      'is not valid yet',
      () => ({ notBefore: hours(1), notAfter: hours(48) }),
      /its certificate is not valid yet .*\. Fix: check the clock of this machine/,
    ],
    [
      'is for another host',
      () => ({ hosts: ['other.example.com'] }),
      /its certificate is for another host name .*\. Fix: use a host name of the certificate, or set tls-server-name/,
    ],
    [
      'is of an unknown authority',
      () => ({ newAuthority: true }),
      /its certificate is (signed by an unknown authority|not signed by the authority).*certificate-authority-data/,
    ],
    [
      'is fine, but spoken about in TLS 1.1',
      () => ({
        tls: { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' },
      }),
      /it speaks no TLS 1.2 or later/,
    ],
  ])('a certificate that %s ends it at once, and nothing is sent', async (_, rotation, says) => {
    platform.harvesterProxy.rotate(rotation());
    try {
      const { stderr, exitCode } = await rows.spawn(
        { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0', NODE_NO_WARNINGS: '1' } },
        rows.maps(1),
      ).ended;
      expect([exitCode, stderr]).toEqual([
        1,
        expect.stringMatching(new RegExp(`target dc1 .*${says.source}`)),
      ]);
      expect(platform.harvesterProxy.requests).toEqual([]);
    } finally {
      platform.harvesterProxy.rotate();
    }
  });

  test('fails only objects of an API group that is not available', async () => {
    const group = `needed${rows.name}.example.com`;
    const services = '/apis/apiregistration.k8s.io/v1/apiservices';
    await platform.clients.harvester.request('POST', services, {
      body: {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `v1.${group}` },
        spec: {
          group,
          version: 'v1',
          groupPriorityMinimum: 10,
          versionPriority: 10,
          insecureSkipTLSVerify: true,
          service: { name: 'none', namespace: 'default' },
        },
      },
    });
    const dist = rows.maps(3, (dc1, namespace) => {
      new ApiObject(dc1, 'thing', {
        apiVersion: `${group}/v1`,
        kind: 'Thing',
        metadata: { name: 'thing', namespace },
      });
    });
    const { stdout, exitCode } = await rows.spawn({ clock: { speed: 20 } }, dist, '--timeout', '10')
      .ended;
    // Namespaces would not go while it is there
    await platform.clients.harvester.request('DELETE', `${services}/v1.${group}`);
    expect([exitCode, stdout]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`failed: .*${group}/Thing/${rows.name}/thing .*(unavailable|503)`, 'i'),
      ),
    ]);
    expect(stdout).toContain('4 done, 1 failed');
    expect(await rows.there()).toHaveLength(3);
  });

  test("as many late values and objects as there may be: no warning of Node's about listeners", async () => {
    const dist = rows.maps(60, (dc1, namespace) => {
      const source = new ApiObject(dc1, 'source', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'source', namespace },
        ...{ data: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`k${n}`, `v${n}`])) },
      });
      const values = Array.from({ length: 30 }, (_, n) => {
        const value = new LateValue(dc1, `late-${n}`, {
          source: LateSource.field(`data.k${n}`, {
            target: dc1,
            apiVersion: 'v1',
            kind: 'ConfigMap',
            namespace,
            name: 'source',
          }),
          description: `value ${n}`,
        });
        Ordering.of(value).after(source, OrderingType.APPLIED);
        return value;
      });
      values.forEach((value, n) => {
        new ApiObject(dc1, `user-${n}`, rows.mapOf(`user-${n}`, value.token));
      });
    });
    // Node warns once for each emitter, on stderr
    const commands = [
      ['plan', dist],
      ['apply', dist, '--wait', '--concurrency', '30'],
      ['apply', dist],
      ['plan', dist],
      ['resolve', dist, '--write-values', path.join(folder, 'late.json')],
      ['status', dist],
      ['doctor', dist],
      ['destroy', dist, '--yes'],
    ];
    for (const args of commands) {
      const withApp = ['plan', 'apply', 'status', 'doctor', 'destroy'].includes(args[0])
        ? ['--app', rows.name]
        : [];
      const { stderr, exitCode } = await platform.cli(...args, ...withApp);
      expect([args[0], exitCode, stderr]).toEqual([args[0], args === commands[0] ? 2 : 0, '']);
    }
  });
});
