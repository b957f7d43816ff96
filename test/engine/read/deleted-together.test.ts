import { mkdirSync, writeFileSync } from 'fs';
import { join } from 'path';
import { asRetained } from '../../../src/core/kind/retention';
import { Manifest } from '../../../src/core/manifest/manifest';
import { OutputLayout } from '../../../src/core/output/assembly';
import { writeOutput } from '../../../src/core/output/output';
import { printAssembly } from '../../../src/core/output/print-assembly';
import { deliveredFiles } from '../../../src/core/synthesis/assembly-writer';
import { toYaml } from '../../../src/core/yaml/yaml-writer';
import { deliverPlain } from '../../../src/delivery/deliver';
import { FluxEngine } from '../../../src/delivery/engine/flux-engine';
import { lintPaths } from '../../../src/engine/read/lint';
import { keptByEngines } from '../../../src/engine/removal/removal';
import { cloudConfig, credential, guest, machineConfig } from '../../support/guest';
import { tempFolder } from '../../support/temp';
import { SmallProgram } from '../graph/_assemblies';
import { platform } from '../removal/_outputs';

const folderOf = (...manifests: Manifest[]): string => {
  const folder = tempFolder();
  mkdirSync(join(folder, 'rancher'));
  manifests.forEach((manifest, index) => {
    writeFileSync(join(folder, 'rancher', `${index}.yaml`), toYaml(manifest));
  });
  return folder;
};

const told = (now: string, before: string): string[] =>
  lintPaths([now], { before: [before], targetKind: 'rancher', rancherVersion: '2.13.8' })
    .filter(({ rule }) => rule === 'output/deleted-together')
    .map(({ level, message, fix }) => `${level} ${message}. Fix: ${fix}`);

describe('plain manifests', () => {
  const others = [machineConfig(), cloudConfig()];
  const all = [...others, credential(), guest()];

  test('must not lose a guest cluster and its credential in one commit', () => {
    expect(told(folderOf(), folderOf(...all))).toEqual([
      'error Secret cattle-global-data/cc-dc1 leaves the output with Cluster fleet-default/shop, which needs it to create and delete machines: an engine deletes both at once, and ' +
        'Cluster fleet-default/shop remains. Fix: make two commits: first remove Cluster fleet-default/shop and wait until it is gone from rancher; then remove Secret cattle-global-data/cc-dc1',
    ]);
  });

  test('may lose them in two commits', () => {
    expect(told(folderOf(credential()), folderOf(...all))).toEqual([]);
    expect(told(folderOf(), folderOf(credential()))).toEqual([]);
  });

  test('must not lose the credential of a cluster that the engine keeps', () => {
    expect(told(folderOf(), folderOf(credential(), asRetained(guest(), 'flux')))).toEqual([
      expect.stringContaining(
        'Cluster fleet-default/shop, which the engine keeps, and which needs it to create and delete machines. Fix: make two commits: first remove Cluster fleet-default/shop, delete it by hand,',
      ),
    ]);
    expect(told(folderOf(), folderOf(asRetained(credential(), 'flux'), guest()))).toEqual([]);
  });
});

describe('a program', () => {
  const MANAGEMENT = 'management.cattle.io/v3';
  const declared = (hasAll = true): SmallProgram => {
    const program = new SmallProgram().target('rancher', 'rancher');
    program.configMap('a', 'rancher');
    if (!hasAll) {
      return program;
    }
    program.object('rancher', 'provisioning.cattle.io/v1', 'Cluster', 'fleet-default/dc1', {
      metadata: { annotations: { 'provisioning.cattle.io/management-cluster-name': 'c-m-dc1' } },
      spec: {},
    });
    program.object('rancher', MANAGEMENT, 'Project', 'c-m-dc1/pay', {
      spec: { clusterName: 'c-m-dc1' },
    });
    const [first, then] = ['b', 'c'].map((name) => program.configMap(name, 'rancher'));
    program.edge(then, first, 'gone');
    return program;
  };
  const written = (program: SmallProgram, isDelivered: boolean): string => {
    const folder = tempFolder();
    const output = {
      assembly: program.assembly,
      manifests: program.manifests,
      layout: OutputLayout.FILE_PER_KIND,
    };
    if (isDelivered) {
      writeOutput(
        folder,
        deliveredFiles(deliverPlain(output, new FluxEngine({ sourceName: 'platform' }))),
      );
    } else {
      writeOutput(
        folder,
        new Map([
          ['rancher/all.yaml', [...program.manifests.values()].map(toYaml).join('---\n')],
          ['assembly.json', printAssembly(program.assembly)],
        ]),
      );
    }
    return folder;
  };

  test('keeps the order that it declares for deletion, and projects go before their cluster', () => {
    expect(told(written(declared(false), true), written(declared(), true))).toEqual([
      expect.stringMatching(
        /^error ConfigMap default\/c leaves the output with ConfigMap default\/b, which must be deleted before, as the program declares: an engine/,
      ),
      expect.stringMatching(
        /^warning Cluster fleet-default\/dc1 leaves the output, and the engine keeps it\. Fix: to delete it, declare it again and make one commit for each step: 1\. remove its tenants/,
      ),
    ]);
    // without an engine, apply deletes in order
    expect(told(written(declared(false), false), written(declared(), false))).toEqual([]);
  });
});

test('names a guest cluster that an engine keeps with all that it needs, and how to delete it', () => {
  const all = platform();
  const [before, after] = [
    all,
    new SmallProgram()
      .target('rancher', 'rancher')
      .target('dc1', 'harvester', { managedAs: 'rancher/c-m-1' }),
  ].map((program) => {
    program.targets.splice(
      0,
      2,
      { ...program.targets[0], version: '2.13.8' },
      { ...program.targets[1], version: '1.7.2' },
    );
    if (program !== all) {
      program.configMap('a', 'rancher');
    }
    const folder = tempFolder();
    const output = {
      assembly: program.assembly,
      manifests: program.manifests,
      layout: OutputLayout.FILE_PER_KIND,
    };
    writeOutput(
      folder,
      deliveredFiles(deliverPlain(output, new FluxEngine({ sourceName: 'platform' }))),
    );
    return folder;
  });
  const findings = lintPaths([after], { before: [before] });
  const shop = 'rancher/provisioning.cattle.io/Cluster/fleet-default/shop';
  const leaves = findings.filter(({ rule }) => rule === 'output/gone');
  expect(leaves).toHaveLength(all.objects.length);
  const kept = keptByEngines(all.assembly, all.manifests);
  for (const { message } of leaves) {
    expect(message).toMatch(
      /the engine keeps it on the cluster \(.+\), and no longer delivers it|an engine that prunes deletes it/,
    );
  }
  expect(leaves.filter(({ message }) => message.includes('the engine keeps it'))).toHaveLength(
    kept.size,
  );
  expect(leaves.find(({ object }) => object?.name === 'cc-dc1')?.message).toMatch(
    `15-secret.yaml and is no longer declared: the engine keeps it on the cluster (${shop} is kept and needs it), and no longer delivers it`,
  );
  expect(
    findings
      .filter(({ rule, object }) => rule === 'output/deleted-together' && object?.name === 'shop')
      .map(({ message, fix }) => `${message}. ${fix}`),
  ).toEqual([
    expect.stringMatching(
      /^Cluster fleet-default\/shop leaves the output with \d+ objects that it needs, and the engine keeps all of them\. to delete it, .*2\. add Retention\.of\(cluster\)\.delete\(\)/,
    ),
  ]);
});
