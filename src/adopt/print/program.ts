import { CLUSTERS_MODULE, modulesOf } from './layout';
import { ModulePrinter } from './module';
import { AppReference } from '../../core/draft/draft';
import { FoundCluster } from '../../core/draft/inverse';
import { Adopted } from '../adopt';

/** The texts of a program by the paths of its files. */
export function programFiles(clusters: readonly FoundCluster[], { statements, evaluated }: Adopted): ReadonlyMap<string, string> {
  // charts without objects are part of the program
  for (const { name } of clusters) { statements.chart(name); }
  const modules = modulesOf(clusters, statements, evaluated);
  const printer = new ModulePrinter(statements, modules);
  const files = new Map(modules.map((module) => [`${module.path}.ts`, module.path === CLUSTERS_MODULE
    ? printer.print(module, ['/** The platform: each module declares what is on one cluster, or belongs to one tenant. */', 'export const app = new HarvesterApp(DELIVERY);'], [
      { name: 'HarvesterApp', from: 'cdk8s-harvester' }, { name: 'DELIVERY', from: './delivery' },
    ])
    : printer.print(module)]));
  const others = modules.map(({ path }) => path).filter((path) => path !== CLUSTERS_MODULE);
  return files.set('platform.ts', [...others.map((path) => `import './${path}';\n`), "\nexport { app } from './clusters';\n"].join(''));
}

/** A module that adds statements to the charts of a program, which are the parameters of its function. */
export interface AddedModule {
  readonly text: string;
  /** The targets of the charts, in the order of the parameters. */
  readonly targets: readonly string[];
}

/** The module of statements that a program lacks. */
export function addedModule(path: string, name: string, { statements, evaluated: { order } }: Adopted): AddedModule {
  const charts = order.filter((draft) => statements.of(draft).scope instanceof AppReference);
  const printer = new ModulePrinter(statements, [{ path, drafts: order }], 2);
  return { text: printer.printFunction({ path, drafts: order }, name, charts, COMMENT), targets: charts.map((chart) => statements.of(chart).id) };
}

const COMMENT = 'Declares objects that were created on the clusters without this program.';
