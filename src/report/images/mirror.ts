import { stringify } from 'yaml';
import { API_VERSIONS } from '../../core/manifest/names';
import { commandLine, quote } from '../../core/text/plain-text';
import { REGISTRY_AND_PROXY_FAMILY } from '../../harvester/settings/catalogue/registry-and-proxy.check';
import { ImageTool, ImportImage } from '../../rancher/import/import-images.data';

/** The registry that all images come from without a mirror: Docker Hub. */
const UPSTREAM = 'docker.io';

/** A list of images that a release publishes. */
interface PublishedList { readonly url: string }

/** A mirror: the host with its port, and the path below which images are. */
interface Mirror {
  readonly host: string;
  readonly path?: string;
}

function mirrorOf(registry: string | undefined): Mirror {
  const match = /^([A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?)(?:\/([a-z0-9]+(?:[._/-][a-z0-9]+)*))?$/.exec(registry ?? '');
  if (!match) {
    throw new Error(`--registry: must be a host, optionally with port and path, got ${JSON.stringify(registry ?? '')}. Fix: set it to your mirror, e.g. registry.example.com:5000/mirror`);
  }
  return { host: match[1], ...(match[2] === undefined ? {} : { path: match[2] }) };
}

/** The commands that copy images, and those of the published lists, to a registry of your own. */
export function mirrorCommands(
  images: readonly ImportImage[], lists: readonly PublishedList[], { registry, tool, arch }: { registry?: string; tool: ImageTool; arch: string },
): string[] {
  const { host, path } = mirrorOf(registry);
  const prefix = path === undefined ? host : `${host}/${path}`;
  if (arch !== 'amd64' && arch !== 'arm64') { throw new Error(`--arch: must be amd64 or arm64, got "${arch}"`); }
  const unknown = images.filter(({ tag }) => tag === undefined);
  const known = images.filter(({ tag }) => tag !== undefined).map((image) => image.reference());
  const copy = COPY[tool];
  return [
    '# on a machine with access to the internet and to the registry',
    ...lists.flatMap(({ url }) => [
      `curl -fsSL ${quote(url)} | sed 's#^${UPSTREAM}/##' | while read -r image; do`,
      // the image is a variable of the shell
      ...copy('"$image"', `"${prefix}/$image"`, `"docker://${UPSTREAM}/$image"`, `"docker://${prefix}/$image"`, arch).map((command) => `  ${command} < /dev/null || exit 1`),
      'done',
    ]),
    ...known.flatMap((image) => copy(quote(image), quote(`${prefix}/${image}`), quote(`docker://${UPSTREAM}/${image}`), quote(`docker://${prefix}/${image}`), arch)),
    ...unknown.map(({ image }) => `# ${image}: tag unknown, set it with --tag`),
  ];
}

type Copy = (image: string, mirrored: string, from: string, to: string, arch: string) => string[];

const COPY: Record<ImageTool, Copy> = {
  [ImageTool.DOCKER]: (image, mirrored, _from, _to, arch) => [
    `${commandLine('docker', 'pull', '--platform', `linux/${arch}`)} ${image}`, `docker tag ${image} ${mirrored}`, `docker push ${mirrored}`,
  ],
  [ImageTool.SKOPEO]: (_image, _mirrored, from, to, arch) => [`${commandLine('skopeo', 'copy', '--override-os', 'linux', '--override-arch', arch)} ${from} ${to}`],
};

/** The file registries.yaml of RKE2 and K3s, also `rkeConfig.registries` of a Cluster. @see https://docs.rke2.io/install/private_registry */
export function registriesYaml(registry: string | undefined): string {
  const { host, path } = mirrorOf(registry);
  const mirror = { endpoint: [`https://${host}`], ...(path === undefined ? {} : { rewrite: rewriteTo(path) }) };
  return stringify({ mirrors: { [UPSTREAM]: mirror } }, { lineWidth: 0 }).trimEnd();
}

/** The Harvester Setting containerd-registry, which configures the nodes of Harvester. */
export function containerdSetting(registry: string | undefined): string {
  const { host, path } = mirrorOf(registry);
  const mirror = { endpoints: [`https://${host}`], ...(path === undefined ? {} : { rewrites: rewriteTo(path) }) };
  const value = REGISTRY_AND_PROXY_FAMILY['containerd-registry'].print!({ mirrors: { [UPSTREAM]: mirror } }, () => ({ atLeast: () => undefined }));
  return stringify({
    apiVersion: API_VERSIONS.HARVESTER, kind: 'Setting', metadata: { name: 'containerd-registry' }, value: typeof value === 'string' ? value : JSON.stringify(value),
  }, { lineWidth: 0 }).trimEnd();
}

function rewriteTo(path: string): { readonly [pattern: string]: string } {
  return { '^(.*)$': `${path}/$1` };
}
