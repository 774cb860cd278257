;; Looks for texts in the bytes of files, sixteen bytes at a time.
;; The source of `_scanner_module.ts`, which `deno run -A scripts/assemble_scanner.ts` writes.
;; Vectors lie at any address: align=1 promises nothing.
(module
  (import "scanner" "memory" (memory 1))

  ;; The address of the first place between $at and $end where the literal stands, or -1.
  ;; $table: where the literal's $length bytes lie, and behind them as many folds: what is set in a byte of the contents
  ;; before it is compared with the literal's (0x20 makes a letter lower case, 0 leaves a byte alone).
  ;; $first and $second: the places in the literal of the two bytes that are looked for first, its rarest.
  ;; Up to fifteen bytes behind $end are read, and heeded nowhere.
  (func (export "find")
    (param $at i32) (param $end i32) (param $table i32) (param $length i32)
    (param $first i32) (param $second i32)
    (result i32)
    (local $last i32) (local $mask i32) (local $place i32) (local $index i32)
    (local $first_byte v128) (local $first_fold v128)
    (local $second_byte v128) (local $second_fold v128)

    ;; The last address where the literal could begin.
    (local.set $last (i32.sub (local.get $end) (local.get $length)))

    ;; Both bytes and their folds, each sixteen times.
    (local.set $first_byte
      (i8x16.splat (i32.load8_u (i32.add (local.get $table) (local.get $first)))))
    (local.set $first_fold
      (i8x16.splat (i32.load8_u
        (i32.add (i32.add (local.get $table) (local.get $length)) (local.get $first)))))
    (local.set $second_byte
      (i8x16.splat (i32.load8_u (i32.add (local.get $table) (local.get $second)))))
    (local.set $second_fold
      (i8x16.splat (i32.load8_u
        (i32.add (i32.add (local.get $table) (local.get $length)) (local.get $second)))))

    (block $nowhere
      (loop $sixteen
        (br_if $nowhere (i32.gt_s (local.get $at) (local.get $last)))

        ;; A bit for each of the sixteen addresses from $at: set where both bytes stand at their places from there.
        (local.set $mask
          (i8x16.bitmask
            (v128.and
              (i8x16.eq
                (v128.or
                  (v128.load align=1 (i32.add (local.get $at) (local.get $first)))
                  (local.get $first_fold))
                (local.get $first_byte))
              (i8x16.eq
                (v128.or
                  (v128.load align=1 (i32.add (local.get $at) (local.get $second)))
                  (local.get $second_fold))
                (local.get $second_byte)))))

        (block $tried
          (loop $candidate
            (br_if $tried (i32.eqz (local.get $mask)))
            (br_if $nowhere
              (i32.gt_s
                (local.tee $place (i32.add (local.get $at) (i32.ctz (local.get $mask))))
                (local.get $last)))

            ;; The whole literal, byte by byte.
            (local.set $index (i32.const 0))
            (block $differs
              (loop $byte
                (if (i32.eq (local.get $index) (local.get $length))
                  (then (return (local.get $place))))
                (br_if $differs
                  (i32.ne
                    (i32.or
                      (i32.load8_u (i32.add (local.get $place) (local.get $index)))
                      (i32.load8_u
                        (i32.add
                          (i32.add (local.get $table) (local.get $length))
                          (local.get $index))))
                    (i32.load8_u (i32.add (local.get $table) (local.get $index)))))
                (local.set $index (i32.add (local.get $index) (i32.const 1)))
                (br $byte)))

            ;; The lowest bit is done with.
            (local.set $mask
              (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (br $candidate)))

        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $sixteen)))
    (i32.const -1))

  ;; 1 where one of the bytes from $at to before $end is 0, else 0. Reads nothing behind them.
  (func (export "hasNul")
    (param $at i32) (param $end i32)
    (result i32)

    ;; By forty-eight bytes: the least of each three is 0 where one of them is, and all are true where none is.
    (block $few
      (loop $many
        (br_if $few (i32.gt_s (i32.add (local.get $at) (i32.const 48)) (local.get $end)))
        (if
          (i32.eqz
            (i8x16.all_true
              (i8x16.min_u
                (i8x16.min_u
                  (v128.load align=1 (local.get $at))
                  (v128.load offset=16 align=1 (local.get $at)))
                (v128.load offset=32 align=1 (local.get $at)))))
          (then (return (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.const 48)))
        (br $many)))

    ;; The rest one by one.
    (block $none
      (loop $one
        (br_if $none (i32.gt_s (i32.add (local.get $at) (i32.const 1)) (local.get $end)))
        (if (i32.eqz (i32.load8_u (local.get $at)))
          (then (return (i32.const 1))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $one)))
    (i32.const 0)))
