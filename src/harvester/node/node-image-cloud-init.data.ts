import { Problem, problemText } from '../../core/problem/problem';
import { quote } from '../../core/text/plain-text';
import { ImageCommands } from '../../rancher/import/import-images.data';

/** An archive of images on a server that the nodes can reach. */
export interface ImageArchive {
  /** The URL of the archive, e.g. `http://files.example.internal/rancher-import-images.tar`, ending in a file name that RKE2 imports. */
  readonly url: string;
  /** The SHA-256 checksum, 64 hexadecimal digits. Without it, the node accepts any content. @default - not checked */
  readonly sha256?: string;
}

/** The sources of image archives for nodes at boot. */
interface NodeImageCloudInitOptions {
  /** Archives to download. @default - no downloads */
  readonly archives?: ImageArchive[];
  /** The absolute path of a directory on the node with archives to import, e.g. a mounted disk. @default - no directory */
  readonly directory?: string;
  /** The name of the file in /oem, without an extension. Files there apply in alphabetical order. @default 99-import-images */
  readonly filename?: string;
  /** The labels of the nodes that import the archives. @default - every node: `harvesterhci.io/managed: "true"` */
  readonly matchSelector?: { [label: string]: string };
}

/** The spec of a CloudInit resource of Harvester. */
interface NodeCloudInitSpec {
  /** The labels of the nodes that get the file. */
  readonly matchSelector: { [label: string]: string };
  /** The name of the file in /oem. */
  readonly filename: string;
  /** The file: an Elemental cloud config. */
  readonly contents: string;
  /** Whether Harvester stops updating the file on the nodes. */
  readonly paused: boolean;
}

const FILENAME = '99-import-images';

/**
 * The spec of a CloudInit resource (node.harvesterhci.io/v1beta1) that imports image archives on Harvester nodes at boot.
 *
 * The archives are stored in the directory from which RKE2 imports them when it starts. It is on the persistent part of the disk,
 * and Harvester's own installer uses it. It takes effect at the next boot of a node, or at once by running the same steps over
 * `ImageCommands`. RKE2 before v1.30.9, i.e. Harvester before 1.5, reads the directory only when it starts, so there the
 * archives of a first boot may arrive too late and are imported at the second one.
 *
 * Unconfirmed (not verified on a running system). The parts come from Harvester's documentation (stages, commands) and
 * from the scripts of its installer (directory, curl).
 *
 * @see https://docs.harvesterhci.io/v1.8/advanced/cloudinitcrd
 * @see https://docs.rke2.io/import-images
 */
export class NodeImageCloudInit {
  /** Checks the options. */
  public static check({ archives = [], directory, filename = FILENAME }: NodeImageCloudInitOptions): Problem[] {
    return [
      ...(directory === undefined && archives.length === 0
        ? [{ path: 'archives', message: 'must be set if directory is not', fix: 'set archives, directory, or both' }] : []),
      ...archives.flatMap((archive, index) => checkArchive(archive, `archives[${index}]`)),
      ...(directory === undefined ? [] : checkDirectory(directory)),
      ...(/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(filename) ? [] : [{
        path: 'filename', value: filename, message: 'must consist of letters, digits, - and _: the extension is appended', fix: `use a name such as ${FILENAME}`,
      }]),
    ];
  }

  /** The spec of the resource. Throws all problems of the options. */
  public static spec(options: NodeImageCloudInitOptions): NodeCloudInitSpec {
    const contents = NodeImageCloudInit.contents(options);
    return {
      matchSelector: options.matchSelector ?? { 'harvesterhci.io/managed': 'true' },
      // otherwise the server appends it, and changes the object
      filename: `${options.filename ?? FILENAME}.yaml`,
      contents,
      paused: false,
    };
  }

  /** Only the Elemental cloud config, for a file that you write to /oem by other means. Throws all problems of the options. */
  public static contents(options: NodeImageCloudInitOptions): string {
    const problems = NodeImageCloudInit.check(options);
    if (problems.length > 0) { throw new Error(problems.map(problemText).join('\n')); }
    const commands = [
      ...(options.directory === undefined ? [] : [takeOver(options.directory)]),
      ...(options.archives ?? []).map(download),
    ];
    // a JSON string is an unambiguous YAML string on one line
    return [
      'name: Import container images',
      'stages:',
      '  network:',
      '    - name: Put image archives where RKE2 imports them',
      '      commands:',
      ...[`mkdir -p ${quote(ImageCommands.ARCHIVES)}`, ...commands].map((command) => `        - ${JSON.stringify(command)}`),
      '',
    ].join('\n');
  }

  private constructor() {}
}

const ARCHIVE_URL = /^https?:\/\/[^\s/?#]+(?:\/[^\s/?#]*)*?\/([A-Za-z0-9][A-Za-z0-9._-]*\.(?:tar|tar\.gz|tgz|tar\.zst|tzst|tar\.bz2|tbz|tar\.lz4))$/;

function checkArchive({ url, sha256 }: ImageArchive, path: string): Problem[] {
  return [
    ...(ARCHIVE_URL.test(url) ? checkTemplate(`${path}.url`, url) : [{
      path: `${path}.url`,
      value: url,
      message: 'must be an http or https URL that ends in the name of an archive',
      fix: 'use a URL such as http://files.example.internal/images.tar.zst',
    }]),
    ...(sha256 === undefined || /^[0-9a-f]{64}$/.test(sha256) ? [] : [{
      path: `${path}.sha256`, value: sha256, message: 'must be 64 hexadecimal digits in lower case', fix: 'use the output of sha256sum',
    }]),
  ];
}

function checkDirectory(directory: string): Problem[] {
  if (directory.startsWith('/') && !directory.includes('\n')) { return checkTemplate('directory', directory); }
  return [{ path: 'directory', value: directory, message: 'must be an absolute path on the node', fix: 'use a path such as /usr/local/images' }];
}

// Elemental renders commands as templates
function checkTemplate(path: string, value: string): Problem[] {
  return value.includes('{{') ? [{ path, value, message: 'must not contain {{, which Elemental reads as a template', fix: 'rename the archive or the directory' }] : [];
}

// an interrupted download must not be imported, so it gets its name last
function download({ url, sha256 }: ImageArchive): string {
  const name = ARCHIVE_URL.exec(url)![1];
  const target = quote(`${ImageCommands.ARCHIVES}/${name}`);
  const part = quote(`${ImageCommands.ARCHIVES}/.${name}.part`);
  const check = sha256 === undefined ? '' : `echo ${quote(`${sha256}  ${ImageCommands.ARCHIVES}/.${name}.part`)} | sha256sum --check --status && `;
  // limited, so that an unreachable server does not delay the boot of a node for long
  const curl = 'curl --fail --silent --show-error --location --connect-timeout 10 --max-time 900 --retry 5 --retry-connrefused';
  return `test -f ${target} || { ${curl} --output ${part} ${quote(url)} && ${check}mv ${part} ${target}; }`;
}

function takeOver(directory: string): string {
  const source = quote(directory.replace(/\/+$/, ''));
  const target = quote(ImageCommands.ARCHIVES);
  return `for f in ${source}/*.tar ${source}/*.tar.gz ${source}/*.tar.zst; do test -f "$f" || continue; `
    + `n=$(basename "$f"); test -f ${target}/"$n" || { cp "$f" ${target}/".$n.part" && mv ${target}/".$n.part" ${target}/"$n"; }; done`;
}
