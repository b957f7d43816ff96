import { EXTENSION_VERSIONS } from './harvester-extension.data';
import { RancherVersion } from '../version/rancher-version';

type Extension = (typeof EXTENSION_VERSIONS)[number];

/**
 * What is known of the line of versions of Harvester's UI extension that a version belongs to, e.g.
 * 1.8 for `1.8.1`.
 */
export function extensionOf(version: string): Extension | undefined {
  return (
    EXTENSION_VERSIONS.find((each) => each.version === version) ??
    EXTENSION_VERSIONS.find(
      (each) =>
        each.version.split('.').slice(0, 2).join('.') === version.split('.').slice(0, 2).join('.'),
    )
  );
}

/** The newest known version of Harvester's UI extension that the UI of a Rancher loads. */
export function newestExtension(rancher: RancherVersion): Extension | undefined {
  return EXTENSION_VERSIONS.find((each) => rancher.isAtLeast(each.rancher));
}
