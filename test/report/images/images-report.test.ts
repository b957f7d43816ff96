import { execFileSync } from 'child_process';
import { chmodSync, readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { parse } from 'yaml';
import { HARVESTER_SETTING_RULES } from '../../../src/harvester/settings/harvester-setting.rules';
import { judgeOn } from '../../support/judging';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const RKE2 = ['images', '--rancher-version', '2.13.8', '--kubernetes-version', 'v1.33.6+rke2r1'];
const run = async (...args: string[]): Promise<string> => {
  const { stdout, stderr, exitCode } = await runCli(...args);
  expect([exitCode, stderr]).toEqual([0, '']);
  return stdout;
};

test('lists the images of guest clusters, and where the list of the release is', async () => {
  const text = await run(...RKE2);
  expect(text.split('\n').slice(0, 3)).toEqual([
    '# https://github.com/rancher/rke2/releases/download/v1.33.6%2Brke2r1/rke2-images-all.linux-amd64.txt  # all images of RKE2, its charts and network plugins',
    'rancher/system-agent-installer-rke2:v1.33.6-rke2r1  # installs the distribution on a node, by the system agent',
    'rancher/rke2-runtime:v1.33.6-rke2r1  # the binaries and charts of RKE2',
  ]);
  expect(text).toContain(
    '# rancher/system-upgrade-controller  # the controller of these upgrades; only when in use; unconfirmed: not verified on a running system; tag unknown, set it with --tag',
  );
});

test('lists each image of several releases once', async () => {
  const text = await run(
    ...RKE2,
    '--kubernetes-version',
    'v1.33.6+k3s1',
    '--harvester-version',
    '1.6.0',
  );
  expect(text.match(/^# https/gm)).toHaveLength(2);
  expect(text.match(/^rancher\/rancher-agent/gm)).toHaveLength(1);
  // the chart of Harvester 1.6 for K3s is replaced by one without a known fault, which RKE2 1.33.6
  // bundles
  expect(text.match(/^rancher\/harvester-cloud-provider.*/gm)).toEqual([
    expect.stringContaining('v0.2.5'),
  ]);
});

describe('the output folder of a program', () => {
  const example = (name: string): string => join(__dirname, '../../../examples', name, 'dist');
  const listed = async (name: string): Promise<string[]> =>
    (await run('images', example(name))).trimEnd().split('\n');

  test('names the releases and charts of its guest clusters', async () => {
    expect(await listed('rke2-production')).toEqual((await run(...RKE2)).trimEnd().split('\n'));
  });

  test('names the chart that K3s installs, and no CSI driver without its chart', async () => {
    const list = (await listed('k3s-single-node'))
      .filter((line) => /k3s|harvester|kube-vip|longhorn/.test(line))
      .map((line) => line.split('  ')[0]);
    expect(list).toEqual([
      '# https://github.com/k3s-io/k3s/releases/download/v1.33.6%2Bk3s1/k3s-images.txt',
      'rancher/system-agent-installer-k3s:v1.33.6-k3s1',
      'rancher/harvester-cloud-provider:v0.2.8',
      'rancher/mirrored-kube-vip-kube-vip-iptables:v1.2.3',
    ]);
  });

  test('must contain a guest cluster', async () => {
    expect(await runCli('images', example('load-balancer'))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('must contain a guest cluster. Fix: use the output folder'),
    });
    expect(await runCli('images', '--kubernetes-version', 'v1.33.6+rke2r1')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('--rancher-version: must be set'),
    });
  });
});

test('prints the same as JSON, with registry and tags', async () => {
  const { lists, images } = JSON.parse(
    await run(
      ...RKE2,
      '--output',
      'json',
      '--registry',
      'registry.example.com/mirror',
      '--tag',
      'rancher/system-upgrade-controller=v0.18.0',
    ),
  );
  expect(lists).toHaveLength(1);
  expect(images.map(({ reference }: { reference: string }) => reference)).toEqual(
    expect.arrayContaining([
      'registry.example.com/mirror/rancher/rke2-runtime:v1.33.6-rke2r1',
      'registry.example.com/mirror/rancher/system-upgrade-controller:v0.18.0',
    ]),
  );
  expect(
    Array.isArray(
      JSON.parse(await run('images', '--rancher-version', '2.13.8', '--output', 'json')),
    ),
  ).toBe(true);
});

describe('commands', () => {
  /** Runs the commands with doubles of the tools, and returns their calls. */
  async function calls(...args: string[]): Promise<string[]> {
    const folder = tempFolder();
    const log = join(folder, 'log');
    const double = (name: string, body: string) => {
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`);
      chmodSync(join(folder, name), 0o755);
    };
    double('curl', 'printf "docker.io/rancher/pause:3.10\\nrancher/klipper-lb:v0.4\\n"');
    for (const tool of ['docker', 'skopeo']) {
      double(tool, `echo "${tool} $*" >> ${log}`);
    }
    execFileSync('sh', ['-e'], {
      input: await run(...RKE2, '--output', 'commands', ...args),
      env: { PATH: `${folder}:/usr/bin:/bin` },
    });
    return readFileSync(log, 'utf8').trimEnd().split('\n');
  }

  test('pull, tag, and push with docker, also what the list of the release names', async () => {
    const all = await calls('--registry', 'registry.example.com:5000/mirror');
    expect(all.slice(0, 6)).toEqual(
      ['pause:3.10', 'klipper-lb:v0.4'].flatMap((image) => [
        `docker pull --platform linux/amd64 rancher/${image}`,
        `docker tag rancher/${image} registry.example.com:5000/mirror/rancher/${image}`,
        `docker push registry.example.com:5000/mirror/rancher/${image}`,
      ]),
    );
    expect(all).toContain(
      'docker push registry.example.com:5000/mirror/rancher/rke2-runtime:v1.33.6-rke2r1',
    );
  });

  test('copy with skopeo', async () => {
    const all = await calls(
      '--registry',
      'registry.example.com',
      '--tool',
      'skopeo',
      '--arch',
      'arm64',
    );
    expect(all[0]).toBe(
      'skopeo copy --override-os linux --override-arch arm64 docker://docker.io/rancher/pause:3.10 docker://registry.example.com/rancher/pause:3.10',
    );
    expect(all.at(-1)).toContain(
      'docker://registry.example.com/rancher/mirrored-longhornio-csi-snapshotter:v8.3.0-20250709',
    );
  });
});

describe('the mirror configuration', () => {
  test('of guest nodes is registries.yaml', async () => {
    expect(
      parse(
        await run(...RKE2, '--output', 'registries', '--registry', 'registry.example.com:5000'),
      ),
    ).toEqual({ mirrors: { 'docker.io': { endpoint: ['https://registry.example.com:5000'] } } });
    expect(
      parse(
        await run(...RKE2, '--output', 'registries', '--registry', 'registry.example.com/mirror'),
      ).mirrors['docker.io'],
    ).toEqual({ endpoint: ['https://registry.example.com'], rewrite: { '^(.*)$': 'mirror/$1' } });
  });

  test('of Harvester nodes is a Setting that Harvester accepts', async () => {
    const setting = parse(
      await run(
        ...RKE2,
        '--output',
        'containerd-registry',
        '--registry',
        'registry.example.com/mirror',
      ),
    );
    expect(JSON.parse(setting.value)).toEqual({
      Mirrors: {
        'docker.io': {
          Endpoints: ['https://registry.example.com'],
          Rewrites: { '^(.*)$': 'mirror/$1' },
        },
      },
      Configs: {},
      Auths: null,
    });
    expect(judgeOn(HARVESTER_SETTING_RULES, [setting], { kind: 'harvester' })).toEqual([]);
  });
});

test.each([
  [['--output', 'commands'], '--registry: must be a host, optionally with port and path, got ""'],
  [
    ['--output', 'registries', '--registry', 'https://registry.example.com'],
    '--registry: must be a host, optionally with port and path, got "https://registry.example.com"',
  ],
  [['--output', 'commands', '--registry', 'r.example.com/$(id)'], '--registry: must be a host'],
  [
    ['--output', 'commands', '--registry', 'r.example.com', '--arch', 'x'],
    '--arch: must be amd64 or arm64, got "x"',
  ],
  [
    ['--kubernetes-version', '1.33.6'],
    'kubernetes version: must name a distribution, e.g. v1.33.6+rke2r1, got "1.33.6"',
  ],
])('refuses %s', async (args, message) => {
  expect(await runCli(...RKE2, ...args)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(message),
  });
});
