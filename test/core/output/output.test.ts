import fs from 'fs';
import { join } from 'path';
import { METADATA_FILE, writeOutput } from '../../../src/core/output/output';
import { messageOf } from '../../support/message-of';
import { filesIn } from '../../support/programs';
import { tempFolder } from '../../support/temp';

// the module itself: a namespace import is a copy, in which mocks have no effect

/** An output of these manifests, with the assembly that names them. */
function output(
  manifests: Record<string, string>,
  others: Record<string, string> = {},
): Map<string, string> {
  const assembly = JSON.stringify({
    engineFiles: Object.keys(manifests).map((file) => ({ file })),
  });
  return new Map(Object.entries({ ...manifests, 'assembly.json': assembly, ...others }));
}

function written(manifests: Record<string, string>): string {
  const folder = tempFolder();
  writeOutput(folder, output(manifests));
  return folder;
}

afterEach(() => jest.restoreAllMocks());

/** Lets one of the moves into place fail, as a full or broken disk would. */
function failAt(path: string): void {
  const rename = fs.renameSync;
  jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (to === path) {
      throw new Error('EIO: no such luck');
    }
    rename(from, to);
  });
}

describe('a failing write', () => {
  const before = { 'a/1.yaml': 'one', 'a/2.yaml': 'two', 'gone/3.yaml': 'three' };
  const after = {
    'a/1.yaml': 'changed',
    'a/2.yaml': 'changed',
    'a/4.yaml': 'new',
    'fresh/5.yaml': 'five',
  };

  test.each(['fresh', 'a/1.yaml', 'a/2.yaml', 'a/4.yaml', 'assembly.json', METADATA_FILE])(
    'at %s leaves the previous output',
    (place) => {
      const folder = written(before);
      const files = filesIn(folder);
      failAt(join(folder, place));
      expect(() => writeOutput(folder, output(after, { [METADATA_FILE]: '{}' }))).toThrow(
        /EIO: no such luck; the previous output is left untouched/,
      );
      expect(filesIn(folder)).toEqual(files);
      expect(fs.readdirSync(folder).sort()).toEqual(['a', 'assembly.json', 'gone']);
    },
  );

  test('while stale files are removed restores all of them', () => {
    const folder = written(before);
    const files = filesIn(folder);
    const rename = fs.renameSync;
    jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      if (from === join(folder, 'gone/3.yaml')) {
        throw new Error('EIO');
      }
      rename(from, to);
    });
    expect(() => writeOutput(folder, output(after))).toThrow(
      'the previous output is left untouched',
    );
    expect(filesIn(folder)).toEqual(files);
  });

  test('that cannot be undone names the folder of the previous files', () => {
    const folder = written(before);
    const rename = fs.renameSync;
    let broken = false;
    jest.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
      broken ||= to === join(folder, 'a/2.yaml');
      if (broken) {
        throw new Error('EIO');
      }
      rename(from, to);
    });
    const message = messageOf(() => writeOutput(folder, output(after)));
    const old = /they are in (\S+):/.exec(message)?.[1] ?? '';
    expect(filesIn(old)).toMatchObject({ 'a/1.yaml': 'one', 'a/2.yaml': 'two' });
  });

  test('before anything is moved leaves no staging folder', () => {
    const folder = written(before);
    jest.spyOn(fs, 'writeFileSync').mockImplementation(() => {
      throw new Error('ENOSPC');
    });
    expect(() => writeOutput(folder, output(after))).toThrow('ENOSPC');
    expect(fs.readdirSync(folder).sort()).toEqual(['a', 'assembly.json', 'gone']);
  });

  test('for a missing permission is reported before', () => {
    const folder = written(before);
    jest.spyOn(fs, 'accessSync').mockImplementation((path) => {
      if (path === join(folder, 'a')) {
        throw new Error('EACCES');
      }
    });
    expect(() => writeOutput(folder, output(after))).toThrow(
      `${join(folder, 'a')} is not writable: EACCES`,
    );
    expect(Object.keys(filesIn(folder))).toEqual([
      'a/1.yaml',
      'a/2.yaml',
      'assembly.json',
      'gone/3.yaml',
    ]);
  });
});

test('the assembly comes after all that it names', () => {
  const folder = written({ 'a/1.yaml': 'one' });
  const moved = jest.spyOn(fs, 'renameSync');
  const files = output({ 'a/1.yaml': 'changed', 'b/1.yaml': 'new' });
  writeOutput(folder, new Map([...files].reverse()));
  expect(moved.mock.calls.map(([, to]) => to)).toEqual(
    ['b', 'a/1.yaml', 'assembly.json'].map((file) => join(folder, file)),
  );
});

describe('what is in the way', () => {
  test('a folder in place of a file', () => {
    const folder = written({ 'a/1.yaml': 'one', 'a/2.yaml': 'two' });
    fs.mkdirSync(join(folder, 'a/3.yaml'));
    expect(() => writeOutput(folder, output({ 'a/1.yaml': 'changed', 'a/3.yaml': 'x' }))).toThrow(
      `${join(folder, 'a/3.yaml')} must be a file, got a folder`,
    );
    expect(filesIn(folder)).toMatchObject({ 'a/1.yaml': 'one', 'a/2.yaml': 'two' });
  });

  test('a file in place of a folder, or of the output folder itself', () => {
    const folder = tempFolder();
    fs.writeFileSync(join(folder, 'a'), '');
    expect(() => writeOutput(folder, output({ 'a/1.yaml': 'x' }))).toThrow(
      `${join(folder, 'a')} must be a folder, got a file`,
    );
    expect(() => writeOutput(join(folder, 'a'), output({}))).toThrow(
      `output folder ${join(folder, 'a')}: must be a folder, got a file`,
    );
  });

  test('a file of another program with another content', () => {
    const folder = written({ 'a/1.yaml': 'one' });
    fs.writeFileSync(join(folder, 'a/2.yaml'), 'hand-written');
    expect(() => writeOutput(folder, output({ 'a/1.yaml': 'changed', 'a/2.yaml': 'two' }))).toThrow(
      `${join(folder, 'a/2.yaml')} was not written by an earlier synthesis`,
    );
    expect(filesIn(folder)).toMatchObject({ 'a/1.yaml': 'one', 'a/2.yaml': 'hand-written' });
    writeOutput(folder, output({ 'a/1.yaml': 'changed', 'a/2.yaml': 'hand-written' }));
    expect(filesIn(folder)).toMatchObject({ 'a/1.yaml': 'changed' });
  });
});

describe('what an earlier run left', () => {
  test('is removed with its folder if the folder is then empty', () => {
    const folder = written({ 'a/1.yaml': 'one', 'b/1.yaml': 'one', 'c/1.yaml': 'one' });
    fs.writeFileSync(join(folder, 'c/notes.md'), 'mine');
    writeOutput(folder, output({ 'a/1.yaml': 'one' }));
    expect(fs.readdirSync(folder).sort()).toEqual(['a', 'assembly.json', 'c']);
    expect(fs.readdirSync(join(folder, 'c'))).toEqual(['notes.md']);
  });

  test('is removed with the folders of a stage and of its target', () => {
    const folder = written({ 'a/one/1.yaml': 'one', 'a/two/1.yaml': 'one', 'b/one/1.yaml': 'one' });
    expect(filesIn(folder)).toMatchObject({ 'a/one/1.yaml': 'one', 'b/one/1.yaml': 'one' });
    writeOutput(folder, output({ 'a/one/1.yaml': 'one', 'c/late-one/README.md': 'later' }));
    expect(fs.readdirSync(folder).sort()).toEqual(['a', 'assembly.json', 'c']);
    expect(fs.readdirSync(join(folder, 'a'))).toEqual(['one']);
    writeOutput(folder, output({ 'a/1.yaml': 'one' }));
    expect(fs.readdirSync(folder).sort()).toEqual(['a', 'assembly.json']);
    expect(fs.readdirSync(join(folder, 'a'))).toEqual(['1.yaml']);
  });

  test('is removed if the run was killed, but not if it may still be running', () => {
    const folder = written({});
    for (const name of ['.staging-old', '.staging-new']) {
      fs.mkdirSync(join(folder, name, 'new'), { recursive: true });
    }
    const before = Date.now() / 1000 - 2 * 3600;
    fs.utimesSync(join(folder, '.staging-old'), before, before);
    writeOutput(folder, output({}));
    expect(fs.readdirSync(folder).sort()).toEqual(['.staging-new', 'assembly.json']);
  });

  test.each(['x/..', 'x/.', '../x.yaml', 'x/y/z/a.yaml', '/etc/x.yaml', 'x/notes.md'])(
    'is never %s, whatever an assembly contains',
    (file) => {
      const parent = tempFolder();
      const folder = join(parent, 'out');
      fs.mkdirSync(join(folder, 'x/y/z'), { recursive: true });
      for (const name of ['x.yaml', 'out/x/y/z/a.yaml', 'out/x/notes.md']) {
        fs.writeFileSync(join(parent, name), 'mine');
      }
      fs.writeFileSync(join(folder, 'assembly.json'), JSON.stringify({ engineFiles: [{ file }] }));
      writeOutput(folder, output({}));
      expect(Object.keys(filesIn(parent))).toEqual([
        'out/assembly.json',
        'out/x/notes.md',
        'out/x/y/z/a.yaml',
        'x.yaml',
      ]);
    },
  );

  test('is left untouched where nothing changed', () => {
    const folder = written({ 'a/1.yaml': 'one', 'a/2.yaml': 'two' });
    const inode = (file: string) => fs.statSync(join(folder, file)).ino;
    const before = ['a/1.yaml', 'a/2.yaml', 'assembly.json'].map(inode);
    writeOutput(folder, output({ 'a/1.yaml': 'one', 'a/2.yaml': 'changed' }));
    expect(
      ['a/1.yaml', 'a/2.yaml', 'assembly.json']
        .map(inode)
        .map((ino, index) => ino === before[index]),
    ).toEqual([true, false, true]);
  });
});
