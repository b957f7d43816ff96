/** A version of Harvester's UI extension. */
interface ExtensionVersion {
  readonly version: string;
  /** The first Rancher whose UI loads it. */
  readonly rancher: string;
  /** Whether its files are also published as one archive. */
  readonly archive?: true;
}

/**
 * The newest version of each line of Harvester's UI extension, newest first. Rancher's UI loads a version by the annotation catalog.cattle.io/rancher-version.
 *
 * @see harvester/harvester-ui-extension:index.yaml (branch gh-pages, 2026-08-06); https://docs.harvesterhci.io/latest/rancher/harvester-ui-extension
 */
export const EXTENSION_VERSIONS: readonly ExtensionVersion[] = [
  { version: '1.8.2', rancher: '2.14.0', archive: true },
  { version: '1.7.2', rancher: '2.13.0', archive: true },
  { version: '1.6.1', rancher: '2.12.0', archive: true },
  { version: '1.5.2', rancher: '2.11.0' },
  { version: '1.0.6', rancher: '2.10.1' },
  { version: '1.0.0', rancher: '2.10.0' },
];

/** The Git repository of the extension, and the branch with its charts and files. */
export const EXTENSION_SOURCE = { gitRepo: 'https://github.com/harvester/harvester-ui-extension', gitBranch: 'gh-pages' } as const;

/** The folder with the files of each version, as `<version>`, and from 1.6.0 on as `<version>.tgz`. @see its chart: values.yaml plugin.endpoint */
export const EXTENSION_FILES = 'https://raw.githubusercontent.com/harvester/harvester-ui-extension/gh-pages/extensions/harvester';

/** The name of the extension, and the key of its chart that holds it. @see rancher/ui-plugin-charts:charts/harvester Chart.yaml */
export const EXTENSION_TITLE = { key: 'catalog.cattle.io/display-name', text: 'Harvester' } as const;
