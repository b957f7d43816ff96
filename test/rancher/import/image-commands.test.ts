import { spawnSync } from 'child_process';
import { createHash } from 'crypto';
import * as fs from 'fs';
import * as path from 'path';
import { parse } from 'yaml';
import { quote } from '../../../src/core/text/plain-text';
import { NodeImageCloudInit } from '../../../src/harvester/node/node-image-cloud-init.data';
import {
  ImageCommands,
  ImageTool,
  ImportImages,
} from '../../../src/rancher/import/import-images.data';
import { RancherVersion } from '../../../src/rancher/version/rancher-version';
import { fc } from '../../support/properties';
import { tempFolder } from '../../support/temp';

const IMAGES = ImportImages.forRancher(RancherVersion.parse('2.14.3'));

/** What bash makes of the words of command lines. */
function wordsOf(lines: readonly string[]): string[][] {
  const script = `show() { printf '%s\\0' "$#" "$@"; }\n${lines.map((line) => `show ${line}`).join('\n')}`;
  const result = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(result.status).toBe(0);
  const printed = result.stdout.split('\0');
  return lines.map(() => printed.splice(0, Number(printed.shift())));
}

describe('quoting', () => {
  test('passes any words through bash unchanged', () => {
    const nasty = fc.oneof(
      fc.string({
        unit: fc.constantFrom(
          "'",
          '"',
          '\\',
          '$',
          '`',
          ' ',
          '\n',
          '\t',
          '!',
          '*',
          '~',
          '(',
          ')',
          ';',
          '&',
          '|',
          '<',
          '>',
          '#',
          '-',
          'a',
        ),
      }),
      fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    );
    // a process takes longer than all its lines
    const lines = fc.array(fc.array(nasty, { minLength: 1, maxLength: 8 }), {
      minLength: 30,
      maxLength: 30,
    });
    fc.assert(
      fc.property(lines, (all) => {
        expect(wordsOf(all.map((words) => words.map((word) => quote(word)).join(' ')))).toEqual(
          all,
        );
      }),
      { numRuns: 10 },
    );
  });

  test('does not quote plain words', () => {
    expect(quote('rancher/rancher-agent:v2.13.8')).toBe('rancher/rancher-agent:v2.13.8');
    expect(quote('')).toBe("''");
    expect(quote("it's")).toBe("'it'\\''s'");
  });

  test('refuses a null character', () => {
    expect(() => quote('a\0b')).toThrow(
      new Error('shell word: cannot contain a null character, which no shell passes on'),
    );
  });
});

describe('fetching', () => {
  test('uses docker', () => {
    expect(ImageCommands.fetch({ images: IMAGES })).toEqual([
      'docker pull --platform linux/amd64 rancher/rancher-agent:v2.14.3',
      'docker pull --platform linux/amd64 rancher/fleet-agent:v0.15.4',
      'docker save --output rancher-import-images.tar rancher/rancher-agent:v2.14.3 rancher/fleet-agent:v0.15.4',
    ]);
  });

  test('tags images for a registry that Rancher prefixes', () => {
    expect(
      ImageCommands.fetch({
        images: IMAGES.slice(0, 1),
        registryPrefix: 'r.example.com',
        directory: '/my images/',
        architecture: 'arm64',
      }),
    ).toEqual([
      'docker pull --platform linux/arm64 rancher/rancher-agent:v2.14.3',
      'docker tag rancher/rancher-agent:v2.14.3 r.example.com/rancher/rancher-agent:v2.14.3',
      "docker save --output '/my images/rancher-import-images.tar' r.example.com/rancher/rancher-agent:v2.14.3",
    ]);
  });

  test('uses skopeo', () => {
    const options = { images: IMAGES, tool: ImageTool.SKOPEO, directory: 'out' };
    expect(ImageCommands.archives(options)).toEqual([
      'out/rancher-rancher-agent-v2.14.3.tar',
      'out/rancher-fleet-agent-v0.15.4.tar',
    ]);
    expect(ImageCommands.fetch(options)[0]).toBe(
      'skopeo copy --override-os linux --override-arch amd64 ' +
        'docker://docker.io/rancher/rancher-agent:v2.14.3 ' +
        'docker-archive:out/rancher-rancher-agent-v2.14.3.tar:docker.io/rancher/rancher-agent:v2.14.3',
    );
  });

  test('returns no commands without images', () => {
    expect(ImageCommands.fetch({ images: [] })).toEqual([]);
    expect(ImageCommands.archives({ images: [] })).toEqual([]);
  });

  test('refuses another processor architecture', () => {
    expect(() => ImageCommands.fetch({ images: IMAGES, architecture: 's390x' })).toThrow(
      'architecture: must be "amd64" or "arm64", got "s390x"',
    );
  });
});

describe('on the nodes', () => {
  test('copies an archive', () => {
    expect(ImageCommands.copyToNode('out/a b.tar', '10.10.0.11')).toBe(
      "scp -- 'out/a b.tar' 'rancher@10.10.0.11:/tmp/a b.tar'",
    );
    expect(ImageCommands.copyToNode('a:b.tar', 'fd00::1', '/x.tar', 'root')).toBe(
      "scp -- ./a:b.tar 'root@[fd00::1]:/x.tar'",
    );
    expect(() => ImageCommands.copyToNode('a.tar', '-oProxyCommand=x')).toThrow(
      'node: must be a host name or an IP address, got "-oProxyCommand=x"',
    );
    expect(() => ImageCommands.copyToNode('a.tar', 'node1', undefined, 'a b')).toThrow(
      'user: must be an account of the node, got "a b"',
    );
  });

  test('imports an archive', () => {
    expect(ImageCommands.importArchive('/tmp/rancher-import-images.tar')).toBe(
      'sudo /var/lib/rancher/rke2/bin/ctr ' +
        '--address /run/k3s/containerd/containerd.sock --namespace k8s.io images import /tmp/rancher-import-images.tar',
    );
    expect(() => ImageCommands.importArchive('x.tar')).toThrow(
      'archive: must be an absolute path on the node, got "x.tar"',
    );
  });

  test('checks for an image', () => {
    const line =
      'sudo /var/lib/rancher/rke2/bin/crictl --runtime-endpoint unix:///run/k3s/containerd/containerd.sock images --quiet ';
    expect(ImageCommands.check(IMAGES[0])).toBe(
      `${line}docker.io/rancher/rancher-agent:v2.14.3 | grep --quiet .`,
    );
    expect(ImageCommands.check(IMAGES[0], 'r.example.com')).toBe(
      `${line}r.example.com/rancher/rancher-agent:v2.14.3 | grep --quiet .`,
    );
  });
});

describe('cloud-init of the nodes', () => {
  const url = 'http://files.example.internal/a/rancher-import-images.tar.zst';

  test('the spec', () => {
    const spec = NodeImageCloudInit.spec({ archives: [{ url, sha256: 'a'.repeat(64) }] });
    expect(spec).toMatchObject({
      filename: '99-import-images.yaml',
      matchSelector: { 'harvesterhci.io/managed': 'true' },
      paused: false,
    });
    expect(spec.contents).toMatchInlineSnapshot(`
"name: Import container images
stages:
  network:
    - name: Put image archives where RKE2 imports them
      commands:
        - "mkdir -p /var/lib/rancher/rke2/agent/images"
        - "test -f /var/lib/rancher/rke2/agent/images/rancher-import-images.tar.zst || { curl --fail --silent --show-error --location --connect-timeout 10 --max-time 900 --retry 5 --retry-connrefused --output /var/lib/rancher/rke2/agent/images/.rancher-import-images.tar.zst.part http://files.example.internal/a/rancher-import-images.tar.zst && echo 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa  /var/lib/rancher/rke2/agent/images/.rancher-import-images.tar.zst.part' | sha256sum --check --status && mv /var/lib/rancher/rke2/agent/images/.rancher-import-images.tar.zst.part /var/lib/rancher/rke2/agent/images/rancher-import-images.tar.zst; }"
"
`);
  });

  test('writes YAML whose commands bash accepts', () => {
    const contents = NodeImageCloudInit.contents({
      archives: [{ url: `${url}` }],
      directory: '/usr/local/my "images"',
    });
    const { stages } = parse(contents);
    expect(Object.keys(stages)).toEqual(['network']);
    for (const command of stages.network[0].commands) {
      expect(spawnSync('bash', ['-n', '-c', command]).status).toBe(0);
    }
  });

  test('copies the archives of a directory once, whatever their names', () => {
    const root = tempFolder();
    const [source, target] = ['from "it\'s"', 'to'].map((name) => path.join(root, name));
    [source, target].forEach((directory) => fs.mkdirSync(directory));
    ['a b.tar', 'c.tar.zst', 'notes.txt'].forEach((name) =>
      fs.writeFileSync(path.join(source, name), name),
    );
    const contents = NodeImageCloudInit.contents({ directory: source });
    const commands: string[] = parse(contents).stages.network[0].commands;
    for (let run = 0; run < 2; run++) {
      commands.forEach((command) =>
        expect(
          spawnSync('bash', ['-c', command.split(ImageCommands.ARCHIVES).join(target)]).status,
        ).toBe(0),
      );
      expect(fs.readdirSync(target).sort()).toEqual(['a b.tar', 'c.tar.zst']);
    }
  });

  test('renames a download only when it is complete', () => {
    const root = tempFolder();
    const bin = path.join(root, 'bin');
    fs.mkdirSync(bin);
    // a double of curl: writes the text in GOT to the file after --output
    fs.writeFileSync(
      path.join(bin, 'curl'),
      '#!/bin/bash\nwhile [ "$1" != --output ]; do shift; done\nprintf %s "$GOT" > "$2"\nexit $EXIT\n',
      { mode: 0o755 },
    );
    const sha256 = createHash('sha256').update('whole').digest('hex');
    const commands: string[] = parse(NodeImageCloudInit.contents({ archives: [{ url, sha256 }] }))
      .stages.network[0].commands;
    const run = (got: string, exit: string) =>
      commands.map(
        (command) =>
          spawnSync('bash', ['-c', command.split(ImageCommands.ARCHIVES).join(root)], {
            env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, GOT: got, EXIT: exit },
          }).status,
      );
    const archive = path.join(root, 'rancher-import-images.tar.zst');
    expect(run('who', '18')).toEqual([0, 18]);
    expect(run('other', '0')).toEqual([0, 1]);
    expect(fs.existsSync(archive)).toBe(false);
    expect(run('whole', '0')).toEqual([0, 0]);
    expect(fs.readFileSync(archive, 'utf8')).toBe('whole');
    expect(run('never asked', '1')).toEqual([0, 0]);
  });

  describe('fails', () => {
    test('without anything to import', () => {
      expect(() => NodeImageCloudInit.contents({})).toThrow(
        new Error(
          'archives: must be set if directory is not. Fix: set archives, directory, or both',
        ),
      );
    });
    test.each([
      'ftp://x/y.tar',
      'http://x/',
      'http://x/y.zip',
      'http://x/y.tar?z',
      'http://x/y z.tar',
      '/y.tar',
    ])('url %j', (bad) => {
      expect(() => NodeImageCloudInit.contents({ archives: [{ url: bad }] })).toThrow(
        new Error(
          'archives[0].url: must be an http or https URL that ends in the name of an archive, ' +
            `got ${JSON.stringify(bad)}. Fix: use a URL such as http://files.example.internal/images.tar.zst`,
        ),
      );
    });
    test('a checksum', () => {
      expect(() => NodeImageCloudInit.contents({ archives: [{ url, sha256: 'A' }] })).toThrow(
        new Error(
          'archives[0].sha256: must be 64 hexadecimal digits in lower case, got "A". Fix: use the output of sha256sum',
        ),
      );
    });
    test('a relative directory', () => {
      expect(() => NodeImageCloudInit.contents({ directory: 'x' })).toThrow(
        new Error(
          'directory: must be an absolute path on the node, got "x". Fix: use a path such as /usr/local/images',
        ),
      );
    });
    test('a template', () => {
      expect(() => NodeImageCloudInit.contents({ directory: '/{{.x}}' })).toThrow(
        new Error(
          'directory: must not contain {{, which Elemental reads as a template, got "/{{.x}}". Fix: rename the archive or the directory',
        ),
      );
      expect(() =>
        NodeImageCloudInit.contents({ archives: [{ url: 'http://x/{{y}}/z.tar' }] }),
      ).toThrow('archives[0].url: must not contain {{');
    });
    test('reports all problems at once', () => {
      expect(() =>
        NodeImageCloudInit.spec({
          directory: 'x',
          archives: [{ url, sha256: 'A' }, { url: '/y.tar' }],
          filename: 'a b',
        }),
      ).toThrow(
        /^archives\[0\]\.sha256: .*\narchives\[1\]\.url: .*\ndirectory: .*\nfilename: [^\n]*$/,
      );
    });
    test('a file name with an extension', () => {
      expect(() => NodeImageCloudInit.spec({ directory: '/x', filename: '99.yaml' })).toThrow(
        new Error(
          'filename: must consist of letters, digits, - and _, got "99.yaml": the extension is appended. Fix: use a name such as 99-import-images',
        ),
      );
    });
  });
});
