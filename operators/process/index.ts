import { defineOperator } from "fettle";

export default defineOperator({ name: "process" });
