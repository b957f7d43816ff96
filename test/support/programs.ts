import { existsSync, readFileSync, readdirSync } from 'fs';
import { join } from 'path';
import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { tempFolder } from './temp';
import { HarvesterApp, HarvesterAppProps } from '../../src/core/app/harvester-app';
import { HarvesterChart } from '../../src/harvester/harvester-chart';
import { RancherChart } from '../../src/rancher/rancher-chart';

/** An app with an output folder of its own that prints nothing. */
export function newApp(props: HarvesterAppProps = {}): HarvesterApp {
  return new HarvesterApp({ outdir: tempFolder(), printWarnings: false, ...props });
}

export const SERVER = 'https://rancher.example.com';

export function newRancher(
  scope: Construct,
  version = '2.13.8',
  props: { caCertificates?: string; namespace?: string } = {},
): RancherChart {
  return new RancherChart(scope, 'rancher', { version, serverUrl: SERVER, ...props });
}

export function newHarvester(scope: Construct, version = '1.7.2', id = 'dc1'): HarvesterChart {
  return new HarvesterChart(scope, id, { version });
}

/** A ConfigMap: an object that no rule has an opinion on. */
export function configMap(
  scope: Construct,
  id: string,
  data: { [key: string]: unknown } = {},
  namespace = 'default',
): ApiObject {
  return new ApiObject(scope, id, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: id, namespace },
    data,
  });
}

/** All files below a folder with their content, by path. */
export function filesIn(folder: string): Record<string, string> {
  if (!existsSync(folder)) {
    return {};
  }
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(folder.length + 1), readFileSync(path, 'utf8')] as const;
      })
      .sort(),
  );
}
