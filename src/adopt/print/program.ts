import { CLUSTERS_MODULE, modulesOf } from './layout';
import { ModulePrinter } from './module';
import { AppReference, Draft, DraftReference } from '../../core/draft/draft';
import { FoundCluster } from '../../core/draft/inverse';
import { Adopted } from '../adopt';
import { Statements } from '../evaluate/statements';

/** The texts of a program by the paths of its files. */
export function programFiles(clusters: readonly FoundCluster[], { statements, evaluated }: Adopted): ReadonlyMap<string, string> {
  const { order } = evaluated;
  // charts without objects are part of the program
  const empty = clusters.map(({ name }) => statements.chart(name)).flatMap((chart) => (
    chart instanceof DraftReference && !order.includes(chart.draft) ? [chart.draft] : []));
  const modules = modulesOf(clusters, statements, { ...evaluated, order: [...empty, ...order] });
  const printer = new ModulePrinter(statements, modules);
  const files = new Map(modules.map((module) => [`${module.path}.ts`, module.path === CLUSTERS_MODULE
    ? printer.print(module, ['/** The platform: each module declares what is on one cluster, or belongs to one tenant. */', 'export const app = new HarvesterApp(DELIVERY);'], [
      { name: 'HarvesterApp', from: 'cdk8s-harvester' }, { name: 'DELIVERY', from: './delivery' },
    ])
    : printer.print(module)]));
  const others = modules.map(({ path }) => path).filter((path) => path !== CLUSTERS_MODULE);
  return files.set('platform.ts', [...others.map((path) => `import './${path}';\n`), "\nexport { app } from './clusters';\n"].join(''));
}

/** The targets of the charts that added statements are in: the parameters of their function. */
export function addedTo({ statements, evaluated: { order } }: Adopted): readonly string[] {
  return chartsIn(order, statements).map((chart) => statements.of(chart).id);
}

/** The text of a module of statements that a program lacks. @param name its function, which takes the charts of `addedTo` */
export function addedModule(path: string, name: string, { statements, evaluated: { order } }: Adopted): string {
  const printer = new ModulePrinter(statements, [{ path, drafts: order }], 2);
  return printer.printFunction({ path, drafts: order }, name, chartsIn(order, statements), COMMENT);
}

function chartsIn(order: readonly Draft[], statements: Statements): readonly Draft[] {
  return order.filter((draft) => statements.of(draft).scope instanceof AppReference);
}

const COMMENT = 'Declares objects that were created on the clusters without this program.';
