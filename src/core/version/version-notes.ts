import { allGates } from './feature-gates';
import { Product, printSemver } from './semver';
import { versionOf } from './target-features';

/**
 * Versions of targets that are later than the last patch version that is known of their minor line.
 * They may be later releases, so nothing is wrong with them for certain.
 */
export function versionNotes(targets: Iterable<{ readonly name: string }>): string[] {
  const products = [...new Set(allGates().map(({ product }) => product))];
  return [...targets].flatMap((target) =>
    products.flatMap((product) => {
      const version = versionOf(target, product);
      const last = version && lastPatch(product, `${version.major}.${version.minor}`);
      return version === undefined || last === undefined || version.patch <= last
        ? []
        : [
            `note: ${product.name} ${printSemver(version)} of ${target.name} is not known to this version of the library, whose latest release of this minor version is ${version.major}.${version.minor}.${last}. Correct it, unless it is a later release`,
          ];
    }),
  );
}

function lastPatch({ known }: Product, minor: string): number | undefined {
  return known?.patches?.[minor];
}
