import { readFileSync, writeFileSync } from 'fs';
import { join } from 'path';
import { Suppressions } from '../../../src/core/program/suppressions';
import { Finding } from '../../../src/core/rule/finding';
import { judge } from '../../../src/core/rule/judge';
import { JudgedObject, JudgedTarget, World } from '../../../src/core/rule/rule';
import { SecretValue } from '../../../src/core/value/secret-value';
import { Product } from '../../../src/core/version/semver';
import { KubernetesVersion } from '../../../src/guest/kubernetes/kubernetes-version';
import {
  KUBERNETES_OF_RANCHER,
  KUBERNETES_RELEASES,
  RKE2_CHARTS,
} from '../../../src/guest/kubernetes/rke2.data';
import { KUBERNETES_PRODUCT } from '../../../src/guest/version/guest-gates.data';
import { VERSION_RULES } from '../../../src/guest/version/versions.rules';
import { HARVESTER_PRODUCT } from '../../../src/harvester/version/harvester-version';
import {
  HarvesterImport,
  HarvesterImportProps,
} from '../../../src/rancher/import/harvester-import';
import { TokenSource } from '../../../src/rancher/import/registration-token';
import {
  RANCHER_FOR_HARVESTER,
  SupportLevel,
  SupportMatrix,
} from '../../../src/rancher/support-matrix/support-matrix.facts';
import { RANCHER_PRODUCT, RancherVersion } from '../../../src/rancher/version/rancher-version';
import { configMap, newApp, newHarvester, newRancher } from '../../support/programs';
import { runCli } from '../../support/run-cli';
import { tempFolder } from '../../support/temp';

const RANCHER: JudgedTarget = { name: 'rancher', kind: 'rancher', rancherVersion: '2.13.8' };
const DC1: JudgedTarget = { name: 'dc1', kind: 'harvester', harvesterVersion: '1.7.2' };

function cluster(
  kubernetesVersion: string,
  rkeConfig: object = {},
  target = RANCHER,
): JudgedObject {
  return {
    target,
    manifest: {
      apiVersion: 'provisioning.cattle.io/v1',
      kind: 'Cluster',
      metadata: { name: 'shop', namespace: 'fleet-default' },
      spec: { kubernetesVersion, rkeConfig },
    },
  };
}

const findings = (...objects: JudgedObject[]): readonly Finding[] =>
  judge(VERSION_RULES, new World(objects));
const rules = (...objects: JudgedObject[]): string[] =>
  findings(...objects).map(({ rule }) => rule);

describe('a release of Kubernetes', () => {
  test.each([
    ['v1.34.6+rke2r9', 'use v1.34.6+rke2r3 or v1.34.10+rke2r1'],
    ['v1.34.0+rke2r1', 'use v1.34.10+rke2r1'],
    ['v1.33.6+k3s7', 'use v1.33.6+k3s1 or v1.33.12+k3s1'],
  ])('refuses %s, which does not exist: %s', (version, fix) => {
    expect(findings(cluster(version))).toMatchObject([
      { rule: 'cluster/kubernetes-release', level: 'error', path: 'spec.kubernetesVersion', fix },
    ]);
  });

  test.each([
    'v1.34.6+rke2r3',
    'v1.34.10+rke2r1',
    'v1.34.10+rke2r2',
    'v1.34.22+rke2r1',
    'v1.34.6-rc1+rke2r9',
    'v1.32.0+k3s1',
    'v1.34.9+k3s1',
    '1.34.6',
    '${late:version}',
    'latest',
  ])('accepts %s: it exists, is later than the table, or another rule judges it', (version) => {
    expect(rules(cluster(version))).toEqual([]);
  });

  test('warns of one that is later by more than a year of releases', () => {
    expect(findings(cluster('v1.34.99+rke2r1'))).toMatchObject([
      {
        rule: 'cluster/kubernetes-release',
        level: 'warning',
        message: expect.stringContaining(
          'may not exist: it is later by 89 patch versions than v1.34.10+rke2r1',
        ),
        fix: 'make sure that this release exists, or use v1.34.10+rke2r1',
      },
    ]);
  });

  test('judges an import by nothing', () => {
    const { target, manifest } = cluster('v1.34.6+rke2r9');
    expect(rules({ target, manifest: { ...manifest, spec: {} } })).toEqual([]);
  });
});

describe('a version that this release does not know', () => {
  const UNKNOWN = { rule: 'version/unknown', level: 'warning' };
  const guest = (kubernetesVersion: string, provisioningCluster?: string): JudgedTarget => ({
    name: 'shop',
    kind: 'guest',
    kubernetesVersion,
    provisioningCluster,
  });
  const last = (line: string): string =>
    `the rules of ${line} are the last ones that this release of cdk8s-harvester knows, and it judges later versions by them`;
  const on = (target: JudgedTarget, name = 'a'): JudgedObject => ({
    target,
    manifest: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'b' } },
  });

  test.each<[JudgedTarget, string]>([
    [{ ...RANCHER, rancherVersion: '2.99.0' }, `must be Rancher 2.8 to 2.15: ${last('2.15')}`],
    [{ ...RANCHER, rancherVersion: '3.0.0' }, `must be Rancher 2.8 to 2.15: ${last('2.15')}`],
    [
      { ...RANCHER, rancherVersion: '2.7.9' },
      'must be Rancher 2.8 to 2.15: this release of cdk8s-harvester does not know the rules of earlier versions',
    ],
    [{ ...DC1, harvesterVersion: '1.17.2' }, `must be Harvester 1.1 to 1.9: ${last('1.9')}`],
    [guest('v1.99.0+rke2r1'), `must be Kubernetes 1.24 to 1.36: ${last('1.36')}`],
  ])('is reported once for the target %j', (target, message) => {
    expect(findings(on(target), on(target, 'c'))).toEqual([
      expect.objectContaining({ ...UNKNOWN, message, path: 'version', target: target.name }),
    ]);
  });

  test.each([
    { rancherVersion: '2.15.9' },
    { rancherVersion: '2.15.1-rc2' },
    { rancherVersion: '2.8.0-alpha1' },
    { harvesterVersion: '1.9.0-rc6' },
    { harvesterVersion: '1.1.3' },
    { kubernetesVersion: 'v1.36.9+k3s1' },
    { kubernetesVersion: '1.24.0' },
    { rancherVersion: 'latest' },
    {},
  ])(
    'is none of %j: patch versions and release candidates belong to their minor line',
    (versions) => {
      expect(rules(on({ name: 'input', ...versions }))).toEqual([]);
    },
  );

  test('is that of a Cluster, and is not reported again for its guest', () => {
    const shop = cluster('v1.99.0+rke2r1', {}, { ...RANCHER, rancherVersion: '2.15.0' });
    const own = { ...UNKNOWN, path: 'spec.kubernetesVersion', object: { name: 'shop' } };
    expect(
      findings(shop, on(guest('v1.99.0+rke2r1', 'fleet-default/shop'))).filter(
        ({ rule }) => rule === UNKNOWN.rule,
      ),
    ).toMatchObject([own]);
    expect(
      findings(shop, on(guest('v1.98.0+rke2r1', 'fleet-default/shop'))).filter(
        ({ rule }) => rule === UNKNOWN.rule,
      ),
    ).toMatchObject([{ target: 'shop' }, own]);
  });

  test('is reported for a chart without objects, and suppressed in the program and its output', async () => {
    const app = newApp();
    const dc1 = newHarvester(app, '1.17.2');
    newRancher(app, '2.99.0');
    Suppressions.of(dc1).suppress('version/unknown', 'a nightly build');
    app.synth();
    const suppressed = 'a nightly build';
    expect(
      app.findings.map(({ rule, target, construct, suppressed: reason }) => [
        rule,
        target,
        construct,
        reason,
      ]),
    ).toEqual([
      ['version/unknown', 'dc1', 'dc1', suppressed],
      ['version/unknown', 'rancher', 'rancher', undefined],
    ]);
    const { stdout } = await runCli('lint', app.outdir, '--output', 'json');
    expect(JSON.parse(stdout).findings).toMatchObject([
      { target: 'dc1', suppressed },
      { target: 'rancher', suppressed: null },
    ]);
  });

  test('is one that lint is given, and that a baseline accepts', async () => {
    const file = join(tempFolder(), 'a.yaml');
    const baseline = join(tempFolder(), 'baseline.json');
    writeFileSync(file, JSON.stringify(on(DC1).manifest));
    const versions = [
      '--rancher-version',
      '2.99.0',
      '--harvester-version',
      '1.17.2',
      '--kubernetes-version',
      'v1.99.0',
    ];
    const { stdout } = await runCli('lint', file, ...versions);
    expect(stdout).toContain(
      'warning  version/unknown  target input\n  version: must be Rancher 2.8 to 2.15, got "2.99.0": the rules of 2.15',
    );
    expect(stdout).toContain('0 errors, 3 warnings');
    await runCli('lint', file, ...versions, '--baseline', baseline, '--update-baseline');
    expect((await runCli('lint', file, ...versions, '--baseline', baseline)).stdout).toContain(
      '0 errors, 0 warnings, 3 accepted',
    );
  });

  test('comes after those that the tables of this release contain', () => {
    const lines = (texts: readonly string[]): number[] =>
      texts.map((text) => Number(text.split('.')[1]));
    const lastOf = (product: Product): number => lines([product.known!.last])[0]!;
    expect(Math.max(...lines(KUBERNETES_OF_RANCHER.map(([rancher]) => rancher)))).toBe(
      lastOf(RANCHER_PRODUCT),
    );
    expect(Math.max(...lines(RANCHER_FOR_HARVESTER.map(({ harvester }) => harvester)))).toBe(
      lastOf(HARVESTER_PRODUCT),
    );
    for (const { lines: releases } of Object.values(KUBERNETES_RELEASES)) {
      expect(Math.max(...lines(Object.keys(releases)))).toBe(lastOf(KUBERNETES_PRODUCT));
    }
  });
});

describe('Kubernetes and Rancher', () => {
  test.each([
    ['2.13.8', 'v1.31.9+rke2r1', 'must be Kubernetes 1.32 to 1.34, which Rancher 2.13.8 supports'],
    ['2.13.8', 'v1.35.4+k3s1', 'must be Kubernetes 1.32 to 1.34, which Rancher 2.13.8 supports'],
    ['2.8.2', 'v1.28.7+rke2r1', 'must be Kubernetes 1.25 to 1.27, which Rancher 2.8.2 supports'],
  ])('Rancher %s warns of %s', (rancherVersion, version, message) => {
    expect(findings(cluster(version, {}, { ...RANCHER, rancherVersion }))).toMatchObject([
      { rule: 'cluster/kubernetes-support', level: 'warning', message },
    ]);
  });

  test.each([
    [
      '2.15.0',
      'v1.33.6+rke2r1',
      /^use v1\.34\.\d+\+rke2r\d or later, and upgrade existing clusters before Rancher$/,
    ],
    ['2.13.8', 'v1.35.4+k3s1', /^upgrade Rancher first, or use v1\.34\.\d+\+k3s\d or earlier$/],
    [
      '2.8.2',
      'v1.28.7+rke2r1',
      /^upgrade Rancher first, or use (v1\.27\.\d+\+rke2r\d or|a release of Kubernetes that is) earlier$/,
    ],
  ])(
    'Rancher %s names a release in place of %s, which it installs',
    (rancherVersion, version, fix) => {
      const [{ fix: found }] = findings(cluster(version, {}, { ...RANCHER, rancherVersion }));
      expect(found).toMatch(fix);
      const [release] = /v\S+/.exec(found) ?? [];
      if (release !== undefined) {
        expect(rules(cluster(release, {}, { ...RANCHER, rancherVersion }))).toEqual([]);
      }
    },
  );

  test.each([
    ['2.13.8', 'v1.32.9+rke2r1'],
    ['2.8.3', 'v1.28.7+rke2r1'],
    ['2.15.0', 'v1.36.3+rke2r1'],
    ['2.16.0', 'v1.33.6+rke2r1'],
    ['2.7.9', 'v1.33.6+rke2r1'],
  ])('Rancher %s accepts %s, or is out of the table', (rancherVersion, version) => {
    expect(
      rules(cluster(version, {}, { ...RANCHER, rancherVersion })).filter(
        (rule) => rule !== 'version/unknown',
      ),
    ).toEqual([]);
  });
});

describe('the operating system of machines', () => {
  const config: JudgedObject = {
    target: RANCHER,
    manifest: {
      apiVersion: 'rke-machine-config.cattle.io/v1',
      kind: 'HarvesterConfig',
      metadata: { name: 'nodes', namespace: 'fleet-default' },
      vmNamespace: 'vms',
      diskInfo: JSON.stringify({ disks: [{ imageName: 'default/os', size: 40, bootOrder: 1 }] }),
    },
  };
  const image = (url: string, displayName = 'os'): JudgedObject => ({
    target: DC1,
    manifest: {
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineImage',
      metadata: { name: 'os', namespace: 'default' },
      spec: { url, displayName },
    },
  });
  const shop = (version: string, rest: object = {}): JudgedObject =>
    cluster(
      version,
      {
        machinePools: [{ name: 'a', machineConfigRef: { kind: 'HarvesterConfig', name: 'nodes' } }],
        ...rest,
      },
      { ...RANCHER, rancherVersion: '2.15.0' },
    );

  test.each([
    'https://example.com/focal-server-cloudimg-amd64.img',
    'https://example.com/Rocky-8-GenericCloud-Base.latest.x86_64.qcow2',
    'https://example.com/AlmaLinux-8-GenericCloud-latest.x86_64.qcow2?x=1',
    'https://example.com/debian-10-genericcloud-amd64.qcow2',
    'https://example.com/OL8U10_x86_64-kvm.qcow2',
  ])('%s is refused from Kubernetes 1.35 on', (url) => {
    const here = { ...config, target: { ...RANCHER, rancherVersion: '2.15.0' } };
    expect(rules(shop('v1.35.7+rke2r1'), here, image(url))).toEqual(['cluster/guest-system']);
    expect(rules(shop('v1.34.10+rke2r1'), here, image(url))).toEqual([]);
    expect(
      rules(
        shop('v1.35.7+rke2r1', { machineGlobalConfig: { 'kubelet-arg': ['fail-cgroupv1=false'] } }),
        here,
        image(url),
      ),
    ).toEqual([]);
  });

  test.each([
    'https://example.com/noble-server-cloudimg-amd64.img',
    'https://example.com/Rocky-9-GenericCloud-Base-9.8-2025.qcow2',
    'https://example.com/debian-13-generic-amd64.qcow2',
    'https://example.com/openSUSE-Leap-15.6.qcow2',
    'https://example.com/disk-8.img',
  ])('%s is accepted', (url) => {
    expect(
      rules(
        shop('v1.35.7+rke2r1'),
        { ...config, target: { ...RANCHER, rancherVersion: '2.15.0' } },
        image(url),
      ),
    ).toEqual([]);
  });
});

describe('Harvester and Rancher', () => {
  const pool = {
    machinePools: [{ name: 'a', machineConfigRef: { kind: 'HarvesterConfig', name: 'nodes' } }],
  };
  const old = { ...RANCHER, rancherVersion: '2.12.3' };
  const net: JudgedObject = {
    target: DC1,
    manifest: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'vms' } },
  };

  test('are compared for machines, where the program declares no registration', () => {
    expect(findings(cluster('v1.33.6+rke2r1', pool, old), net)).toMatchObject([
      {
        rule: 'cluster/harvester-support',
        message:
          'cannot manage Harvester 1.7.2 (dc1) with Rancher 2.12.3: Harvester 1.7 needs Rancher 2.13.0 or later',
      },
    ]);
    expect(rules(cluster('v1.33.6+rke2r1', pool), net)).toEqual([]);
    expect(rules(cluster('v1.33.6+rke2r1', {}, old), net)).toEqual([]);
  });

  // the versions are wrong whatever the token comes from
  test.each<[string, string, Partial<HarvesterImportProps>, string]>([
    ['2.12.3', 'of Rancher', {}, 'registration/unsupported-versions'],
    ['2.7.9', 'of Rancher, with a late cluster ID', {}, 'registration/unsupported-versions'],
    [
      '2.12.3',
      'declared',
      { registrationToken: TokenSource.declared() },
      'registration/unsupported-versions',
    ],
    [
      '2.13.8',
      'in a Secret of the program',
      { registrationToken: TokenSource.value(SecretValue.unsafePlainText('a'.repeat(54))) },
      'registration/unsupported-versions',
    ],
    [
      '2.13.8',
      'in a Secret',
      { registrationToken: TokenSource.secret() },
      'registration/unsupported-versions',
    ],
    [
      '2.12.3',
      'of Rancher, with a registration by hand',
      { register: false },
      'cluster/harvester-support',
    ],
  ])('are compared for an import by Rancher %s with the token %s', (version, _, props, rule) => {
    const app = newApp();
    const harvester = newHarvester(app, version === '2.13.8' ? '1.8.0' : '1.7.2');
    configMap(harvester, 'settings');
    new HarvesterImport(newRancher(app, version), 'import', { harvester, ...props });
    app.synth();
    const rulesFound = app.findings
      .map((finding) => finding.rule)
      .filter((id) => /unsupported-versions|harvester-support/.test(id));
    expect(rulesFound).toEqual([rule]);
  });
});

test('lint reports them in manifests of others, by the version of Rancher that it is given', async () => {
  const file = join(tempFolder(), 'shop.yaml');
  writeFileSync(file, JSON.stringify(cluster('v1.31.99+rke2r1').manifest));
  const { findings: found } = JSON.parse(
    (await runCli('lint', file, '--rancher-version', '2.13.8', '--output', 'json')).stdout,
  );
  expect(found.map(({ rule }: { rule: string }) => rule)).toContain('cluster/kubernetes-support');
  writeFileSync(file, JSON.stringify(cluster('v1.34.6+rke2r9').manifest));
  expect(await runCli('lint', file)).toMatchObject({
    exitCode: 3,
    stdout: expect.stringContaining(
      'error  cluster/kubernetes-release  Cluster fleet-default/shop',
    ),
  });
});

describe('the tables', () => {
  test('of Kubernetes in Rancher rise from row to row', () => {
    for (const [index, [rancher, first, last]] of KUBERNETES_OF_RANCHER.entries()) {
      const [before, firstBefore, lastBefore] = KUBERNETES_OF_RANCHER[index - 1] ?? ['2.0.0', 0, 0];
      expect(RancherVersion.parse(rancher).isAtLeast(before)).toBe(true);
      expect([rancher, first >= firstBefore, last > lastBefore, last > first]).toEqual([
        rancher,
        true,
        true,
        true,
      ]);
    }
  });

  test('of releases rise within a line, without repetition', () => {
    for (const { lines } of Object.values(KUBERNETES_RELEASES)) {
      for (const [minor, line] of Object.entries(lines)) {
        expect(line).toMatch(/^\d+(-[2-9])?( \d+(-[2-9])?)*$/);
        const patches = line.split(' ').map((text) => Number(text.split('-')[0]));
        expect([minor, patches]).toEqual([minor, [...new Set(patches)].sort((a, b) => a - b)]);
      }
    }
  });

  test('are those of the docs', () => {
    const rows = [
      ...KUBERNETES_OF_RANCHER.map(
        ([rancher, first, last]) => `| ${rancher} | 1.${first} to 1.${last} |`,
      ),
      ...RANCHER_FOR_HARVESTER.map(
        ({ harvester, from, testedMinor }) => `| ${harvester} | ${from} | ${testedMinor} |`,
      ),
    ];
    const page = readFileSync(join(__dirname, '../../../docs/versions.md'), 'utf8').split('\n');
    expect(page.filter((line) => /^\| \d/.test(line))).toEqual(rows);
  });

  test('of bundled charts name only releases that exist', () => {
    const unknown = Object.entries(RKE2_CHARTS)
      .filter(([minor]) => minor in KUBERNETES_RELEASES.rke2.lines)
      .flatMap(([minor, row]) =>
        row.split(', ').map((change) => {
          const [patch, release] = change.split(' ')[0].split('-');
          return KubernetesVersion.parse(`v${minor}.${patch}+rke2r${release}`);
        }),
      )
      .filter(
        (version) => SupportMatrix.kubernetesRelease(version).level === SupportLevel.UNSUPPORTED,
      )
      .map(String);
    expect(unknown).toEqual([]);
  });
});
