import { describeFamily } from '../families/family';
import { TENANCY } from '../families/tenancy';

describeFamily(TENANCY);
