import { execFileSync } from 'child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'fs';
import { join, resolve } from 'path';
import { transpileModule } from 'typescript';
import { connectContext } from '../../../src/engine/auth/kubeconfig';
import { Authority } from '../../support/authority';
import { tempFolder } from '../../support/temp';

const ROOT = resolve(__dirname, '..', '..', '..');

const installed = existsSync(join(ROOT, 'node_modules', '@kubernetes', 'client-node'));

/* eslint-disable @typescript-eslint/no-explicit-any */

const authority = new Authority();
const client = authority.issue();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Entry {
  readonly cluster?: object;
  readonly user?: object;
}

/** Writes a kubeconfig in which each context has a cluster and a user of its own. */
function write(file: string, contexts: { readonly [name: string]: Entry }): void {
  const names = Object.keys(contexts);
  writeFileSync(
    file,
    JSON.stringify({
      contexts: names.map((name) => ({
        name,
        context: { cluster: `${name}-c`, ...(contexts[name].user ? { user: `${name}-u` } : {}) },
      })),
      clusters: names.map((name) => ({
        name: `${name}-c`,
        cluster: { server: `https://${name}.example.com:6443/base`, ...contexts[name].cluster },
      })),
      users: names
        .filter((name) => contexts[name].user)
        .map((name) => ({ name: `${name}-u`, user: contexts[name].user })),
    }),
  );
}

function ask(folder: string, asked: object[], env: NodeJS.ProcessEnv = {}): any[] {
  const script = join(__dirname, '_contexts.ts');
  const output = execFileSync(
    process.execPath,
    ['--require', require.resolve('tsx/cjs'), script, JSON.stringify(asked)],
    {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        KUBECONFIG: join(folder, 'config'),
        NODE_PATH: join(ROOT, 'node_modules'),
        ...env,
      },
    },
  );
  return JSON.parse(output);
}

// skipped, never passed, where the package is not there
const withPackage = installed ? describe : describe.skip;

withPackage('contexts of kubeconfigs, through @kubernetes/client-node', () => {
  test('tokens, certificates and authorities, each of its own context', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'pki'));
    writeFileSync(join(folder, 'pki', 'ca.crt'), authority.cert);
    writeFileSync(join(folder, 'pki', 'client.crt'), client.cert);
    writeFileSync(join(folder, 'pki', 'client.key'), client.key);
    write(join(folder, 'config'), {
      token: {
        cluster: {
          'certificate-authority-data': base64(authority.cert),
          'tls-server-name': 'api.example.com',
        },
        user: { token: 'tok-a' },
      },
      files: {
        cluster: { 'certificate-authority': 'pki/ca.crt' },
        user: { 'client-certificate': 'pki/client.crt', 'client-key': 'pki/client.key' },
      },
      nobody: { cluster: { 'certificate-authority': 'pki/ca.crt' } },
    });
    const [token, files, nobody] = ask(folder, [
      { context: 'token' },
      { context: 'files' },
      { context: 'nobody' },
    ]);
    expect(token).toEqual({
      server: 'https://token.example.com:6443/base',
      ca: authority.cert,
      tlsServerName: 'api.example.com',
      given: [1, 2].map(() => ({ headers: { authorization: 'Bearer tok-a' } })),
    });
    expect(files).toMatchObject({
      ca: authority.cert,
      given: [{ headers: {}, cert: client.cert, key: client.key }, {}],
    });
    // the library leaves the authority out where there is no user
    expect(nobody).toMatchObject({ ca: authority.cert, given: [{ headers: {} }, { headers: {} }] });
  });

  test('a token file is read without its line end, and again when the token was refused', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'tok'), 'from-file\n');
    write(join(folder, 'config'), { file: { user: { tokenFile: 'tok', token: 'beside' } } });
    expect(ask(folder, [{ context: 'file' }])[0].given).toEqual(
      [1, 2].map(() => ({ headers: { authorization: 'Bearer from-file' } })),
    );
  });

  test('runs an exec plugin once for many requests and again when its token was refused (20), with the input that client-go gives it', () => {
    const folder = tempFolder();
    const plugin = join(folder, 'plugin.sh');
    writeFileSync(
      plugin,
      [
        '#!/bin/sh',
        'echo x >> "$COUNT"',
        'n=$(wc -l < "$COUNT" | tr -d " ")',
        'echo "$KUBERNETES_EXEC_INFO" > "$COUNT.info"',
        'echo "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"exec-$n\\"}}"',
      ].join('\n'),
      { mode: 0o755 },
    );
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin.sh',
      provideClusterInfo: true,
      interactiveMode: 'IfAvailable',
      env: [{ name: 'COUNT', value: join(folder, 'count') }],
    };
    write(join(folder, 'config'), { exec: { user: { exec } } });
    const [connected, forbidden] = ask(folder, [
      { context: 'exec', times: 5 },
      { context: 'exec', noExec: true },
    ]);
    expect(connected.given.map(({ headers }: any) => headers.authorization)).toEqual([
      ...Array(5).fill('Bearer exec-1'),
      'Bearer exec-2',
    ]);
    expect(JSON.parse(readFileSync(join(folder, 'count.info'), 'utf8'))).toMatchObject({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: 'https://exec.example.com:6443/base' } },
    });
    expect(forbidden.error).toBe(
      `context exec: its credentials come from the command ${plugin}, which --no-exec forbids. Fix: use a token or a certificate`,
    );
  });

  test('reports a plugin that fails, or prints something else, without its output', () => {
    const folder = tempFolder();
    const exec = (command: string, ...args: string[]): Entry => ({
      user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args } },
    });
    write(join(folder, 'config'), {
      fails: exec('sh', '-c', 'echo please sign in >&2; exit 1'),
      talks: exec('echo', 'c4nary-token'),
      missing: exec('no-such-plugin'),
    });
    const errors = ask(
      folder,
      ['fails', 'talks', 'missing'].map((context) => ({ context })),
    ).map(({ error }) => error);
    expect(errors).toEqual([
      'context fails: the command sh returned no credentials: please sign in',
      'context talks: the command echo returned no credentials: its output is not an ExecCredential with a status',
      'context missing: the command no-such-plugin returned no credentials: spawn no-such-plugin ENOENT',
    ]);
  });

  test('refuses what is not safe, or has another effect than its name', () => {
    const folder = tempFolder();
    write(join(folder, 'config'), {
      http: { cluster: { server: 'http://10.0.0.1:8080' } },
      insecure: { cluster: { 'insecure-skip-tls-verify': true }, user: { token: 't' } },
      basic: { user: { username: 'u', password: 'c4nary' } },
      gcp: { user: { 'auth-provider': { name: 'gcp' } } },
      groups: { user: { 'token': 't', 'as': 'u', 'as-groups': ['g'] } },
    });
    const answers = ask(folder, [
      ...['http', 'insecure', 'basic', 'gcp', 'groups'].map((context) => ({ context })),
      { context: 'insecure', insecureSkipTlsVerify: true },
    ]);
    expect(answers.map(({ error }) => error)).toEqual([
      'context http: its server must use https://, got http://: credentials are never sent in plain text',
      expect.stringMatching(
        /^context insecure: it sets insecure-skip-tls-verify, .* set --insecure-skip-tls-verify <target> for this run$/,
      ),
      'context basic: its user has username: passwords are not sent. Fix: use a token, a certificate or an exec plugin',
      'context gcp: its user has the auth-provider gcp, which kubectl no longer supports. Fix: use the exec plugin of your provider',
      expect.stringContaining('context groups: its user has as-groups'),
      undefined,
    ]);
    expect(answers[5].insecureSkipTlsVerify).toBe(true);
  });

  test('of files with the same names, the first wins, as for kubectl', () => {
    const folder = tempFolder();
    write(join(folder, 'config'), { prod: { user: { token: 'first' } } });
    write(join(folder, 'second'), {
      prod: { user: { token: 'second' } },
      other: { user: { token: 'third' } },
    });
    const env = {
      KUBECONFIG: [join(folder, 'config'), join(folder, 'missing'), join(folder, 'second')].join(
        ':',
      ),
    };
    expect(
      ask(folder, [{ context: 'prod' }, { context: 'other' }], env).map(
        ({ given }) => given[0].headers.authorization,
      ),
    ).toEqual(['Bearer first', 'Bearer third']);
  });

  test('the proxy of the kubeconfig, or of the environment', () => {
    const folder = tempFolder();
    write(join(folder, 'config'), {
      own: { cluster: { 'proxy-url': 'http://own:3128' } },
      none: {},
      socks: { cluster: { 'proxy-url': 'socks5://p:1' } },
    });
    const answers = ask(folder, [{ context: 'own' }, { context: 'none' }, { context: 'socks' }], {
      HTTPS_PROXY: 'http://env:3128',
    });
    expect(answers.slice(0, 2).map(({ proxy }) => proxy)).toEqual([
      'http://own:3128/',
      'http://env:3128/',
    ]);
    expect(answers[2].error).toContain(
      'must be an http or https proxy, got socks5. Fix: use e.g. http://proxy.example.com:3128',
    );
  });
});

test('reports a package that is not installed, and how to install it', () => {
  const folder = tempFolder();
  // a set is walked to what is added meanwhile
  const needed = new Set(['engine/auth/kubeconfig']);
  for (const file of needed) {
    const text = readFileSync(join(ROOT, 'src', `${file}.ts`), 'utf8');
    for (const [, specifier] of text.matchAll(/ from '(\.[^']+)'/g)) {
      needed.add(join(file, '..', specifier));
    }
    const { outputText } = transpileModule(text, {
      fileName: `${file}.ts`,
      compilerOptions: { module: 100, target: 9 },
    });
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, `${file}.js`), outputText);
  }
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(ROOT, 'node_modules', 'yaml'), join(folder, 'node_modules', 'yaml'));
  const script =
    "require('./engine/auth/kubeconfig').connectContext({ name: 'a', cluster: { server: 'https://x' }, user: { exec: { command: 'login' } } }, { env: {} }).catch((e) => console.log(e.message))";
  expect(
    execFileSync(process.execPath, ['-e', script], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    }).trim(),
  ).toBe(
    'context a: the package @kubernetes/client-node, which reads credentials outside of the kubeconfig, is not installed. ' +
      'Fix: run npm install --save-dev @kubernetes/client-node@1.4',
  );
});

test('needs no package for credentials in the kubeconfig, and reads them again when a certificate was renewed', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'client.crt'), client.cert);
  const user = {
    'client-certificate': join(folder, 'client.crt'),
    'client-key-data': base64(client.key),
    'token': 'tok\n',
  };
  const cluster = { 'server': 'https://x', 'certificate-authority-data': base64(authority.cert) };
  const connection = await connectContext({ name: 'a', cluster, user }, { env: {} });
  expect(connection.ca).toBe(authority.cert);
  expect(await connection.credentials(false)).toEqual({
    headers: { authorization: 'Bearer tok' },
    cert: client.cert,
    key: client.key,
  });
  const renewed = authority.issue();
  writeFileSync(join(folder, 'client.crt'), renewed.cert);
  expect((await connection.credentials(false)).cert).toBe(client.cert);
  expect((await connection.credentials(true)).cert).toBe(renewed.cert);
});

test.each([
  [
    { 'client-certificate': '/none.crt', 'client-key-data': base64('-----BEGIN ') },
    /^context a: its credentials cannot be read: ENOENT.*none\.crt/,
  ],
  [
    { 'client-certificate-data': 'AAAA', 'client-key-data': 'AAAA' },
    /^context a: its credentials cannot be read: client-certificate-data must be PEM in base64$/,
  ],
])('what cannot be read is named: %j', async (user, message) => {
  await expect(
    connectContext({ name: 'a', cluster: { server: 'https://x' }, user }, { env: {} }),
  ).rejects.toThrow(message);
});
