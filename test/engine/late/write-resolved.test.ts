import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'fs';
import { join } from 'path';
import { readResolvedValues } from '../../../src/core/program/late-completion';
import { LateResolver } from '../../../src/engine/late/late-resolver';
import { writeValues } from '../../../src/engine/late/resolve-program';
import { writeManifests } from '../../../src/engine/late/write-manifests';
import { LoadedAssembly } from '../../../src/engine/read/load-assembly';
import { writePrivateFile } from '../../../src/engine/secret/private-file';
import { FakeCluster, fakeTargets } from '../../support/fake-cluster';
import { tempFolder } from '../../support/temp';
import { SmallProgram } from '../graph/_assemblies';

const TOKEN = 'canary-5x7q2hv9w4';
const mode = (file: string): string => (statSync(file).mode % 0o1000).toString(8);

async function resolved(): Promise<{
  program: SmallProgram;
  resolver: LateResolver;
  loaded: LoadedAssembly;
}> {
  const source = {
    target: 'dc1',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'default',
    name: 'source',
  };
  const program = new SmallProgram()
    .target('dc1', 'harvester')
    .late('token', { ...source, resolver: 'secret-key', path: 'token' })
    .late('name', { ...source, resolver: 'field', kind: 'ConfigMap', path: 'data.name' })
    .late('text', { resolver: 'text', text: 'token: ${late:token}' });
  program.object('dc1', 'v1', 'Secret', 'default/credential', {
    stringData: { kubeconfig: '${late:text}' },
  });
  program.object('dc1', 'v1', 'ConfigMap', '${late:name}/leak', { data: { x: '${late:token}' } });
  program.object('dc1', 'v1', 'ConfigMap', '${late:name}/plain');
  program.configMap('static');
  const cluster = new FakeCluster();
  cluster.seed({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'source', namespace: 'default' },
    data: { token: Buffer.from(TOKEN).toString('base64') },
  });
  cluster.seed({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'source', namespace: 'default' },
    data: { name: 'found' },
  });
  const resolver = new LateResolver(program.assembly, fakeTargets({ dc1: cluster }));
  for (const { id } of program.lateValues) {
    await resolver.resolve(id);
  }
  return {
    program,
    resolver,
    loaded: { folder: '', assembly: program.assembly, manifests: program.manifests, digest: '' },
  };
}

describe('values', () => {
  test('are written to a file that only the user can read, as synthesis prints it', async () => {
    const file = join(tempFolder(), 'new', 'late.json');
    const { program, resolver } = await resolved();
    writeValues(file, program.assembly, resolver);
    expect(mode(file)).toBe('600');
    expect(mode(join(file, '..'))).toBe('700');
    // synthesis puts texts together itself
    expect([...readResolvedValues(file)]).toEqual([
      ['name', 'found'],
      ['token', TOKEN],
    ]);
    expect(readdirSync(join(file, '..'))).toEqual(['late.json']);
  });
});

describe('manifests', () => {
  test('that waited are written completed, those with secrets for the user alone', async () => {
    const folder = tempFolder();
    const { resolver, loaded } = await resolved();
    const { files } = writeManifests(folder, loaded, resolver);
    expect(files.map((file) => [file.slice(folder.length + 1), mode(file)])).toEqual([
      ['dc1/15-configmap.found.leak.yaml', '600'],
      ['dc1/15-configmap.found.plain.yaml', '644'],
      ['dc1/15-secret.default.credential.yaml', '600'],
    ]);
    expect(readdirSync(folder).sort()).toEqual(['dc1', 'late-files.txt']);
    expect(readFileSync(files[2], 'utf8')).toContain(`kubeconfig: "token: ${TOKEN}"`);
    expect(readFileSync(files[1], 'utf8')).toContain('namespace: found');
  });

  test('are not written where one of them fails', async () => {
    const folder = tempFolder();
    const { resolver, loaded } = await resolved();
    mkdirSync(join(folder, 'dc1'));
    symlinkSync('/etc/passwd', join(folder, 'dc1/15-secret.default.credential.yaml'));
    expect(() => writeManifests(folder, loaded, resolver)).toThrow('must not be a symbolic link');
    expect(readdirSync(join(folder, 'dc1'))).toHaveLength(1);
  });
});

describe('a private file', () => {
  test('takes the place of one that is private already', () => {
    const file = join(tempFolder(), 'f');
    writePrivateFile(file, 'one');
    writePrivateFile(file, 'two');
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(mode(file)).toBe('600');
  });

  test.each<[string, (file: string) => void, string]>([
    [
      'a link',
      (file) => {
        symlinkSync(join(file, '..', 'elsewhere'), file);
      },
      'must not be a symbolic link. Fix: remove it, or choose another file',
    ],
    [
      'a folder',
      (file) => {
        mkdirSync(file);
      },
      'must be a file. Fix: choose another one',
    ],
    [
      'a file that others read',
      (file) => {
        writeFileSync(file, 'old');
        chmodSync(file, 0o644);
      },
      'others can read it (mode 644), but it will contain secrets. Fix: chmod 600 it',
    ],
  ])('never takes the place of %s', (_, make, message) => {
    const folder = tempFolder();
    const file = join(folder, 'f');
    make(file);
    expect(() => {
      writePrivateFile(file, TOKEN);
    }).toThrow(`${file}: ${message}`);
    expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['f']);
  });
});
